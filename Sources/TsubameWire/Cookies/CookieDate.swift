// CookieDate: the lenient parser for the date of a cookie's Expires attribute (RFC 6265bis §5.1.1).

package enum CookieDate {
    /// Parses a date whose parts may come in any order, with any separators, because servers write all of these.
    /// - Returns: seconds since 1970; nil if the text has no date, an impossible date or a date before 1601.
    package static func parse(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { bytes in
            var time: (hour: Int, minute: Int, second: Int)?
            var day: Int?
            var month: Int?
            var year: Int?
            // RFC 6265bis §5.1.1 tries the parts in this order and gives each token to the first missing part that it
            // matches.
            for token in bytes.split(whereSeparator: isDelimiter) {
                if time == nil, let found = timeOfDay(token) {
                    time = found
                } else if day == nil, let found = number(token, digits: 1...2) {
                    day = found
                } else if month == nil, let found = monthNumber(token) {
                    month = found
                } else if year == nil, let found = number(token, digits: 2...4) {
                    year = found
                }
            }
            guard let time, let day, let month, var year, time.second <= 59 else { return nil }
            if (70...99).contains(year) { year += 1900 }
            if (0...69).contains(year) { year += 2000 }
            guard year >= 1601 else { return nil }
            return CivilTime(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second
            )?.secondsSince1970
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// A number whose count of digits is in `digits`, followed by the end of the token or by a non-digit.
    private static func number(
        _ token: Slice<UnsafeBufferPointer<UInt8>>, digits: ClosedRange<Int>
    ) -> Int? {
        let found = token.prefix(digits.upperBound + 1).prefix { $0.digitValue != nil }
        guard digits.contains(found.count) else { return nil }
        return found.reduce(0) { $0 * 10 + ($1.digitValue ?? 0) }
    }

    private static func timeOfDay(
        _ token: Slice<UnsafeBufferPointer<UInt8>>
    ) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2,
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2), parts[0].allSatisfy({ $0.digitValue != nil }),
            parts[1].allSatisfy({ $0.digitValue != nil })
        else { return nil }
        return (hour, minute, second)
    }

    private static func monthNumber(_ token: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let start = token.prefix(3).map(\.lowercasedASCII)
        let index = CivilTime.monthNames.firstIndex { name in
            name.withUTF8Buffer { $0.lazy.map(\.lowercasedASCII).elementsEqual(start) }
        }
        return index.map { $0 + 1 }
    }
}
