// HTTPDate: the dates of HTTP fields (RFC 9110 section 5.6.7), except those of cookies, which `CookieDate` reads.

package enum HTTPDate {
    /// The IMF-fixdate of a time in seconds since 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// The form has four digits for the year. A time before the year 0 or after 9999 becomes the first or last second
    /// of that span.
    package static func format(_ secondsSince1970: Int64) -> String {
        let time = CivilTime(secondsSince1970: min(max(secondsSince1970, -62_167_219_200), 253_402_300_799))
        return "\(time.weekdayName), \(CivilTime.digits(time.day)) \(time.monthName)"
            + " \(CivilTime.digits(time.year, 4)) \(time.timeOfDay) GMT"
    }

    /// Reads any of the three forms that a recipient must accept, in upper or lower case (RFC 9111 section 4.2).
    ///
    /// A date in another zone than GMT is not a date. If it were read as GMT, it would be wrong by hours.
    /// - Returns: seconds since 1970; nil if the text is not a date.
    package static func parse(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { bytes in
            var reader = HTTPDateReader(rest: bytes[...])
            guard let date = reader.date(), reader.rest.isEmpty else { return nil }
            return date.secondsSince1970
        }
    }
}

/// Reads a date part by part. If a part is missing, its function returns nil or false, and the text is not a date.
private struct HTTPDateReader {
    /// The rest of each weekday's name after its first three letters, as RFC 850 writes them.
    private static let weekdayEndings: [StaticString] = ["day", "day", "sday", "nesday", "rsday", "day", "urday"]

    var rest: Slice<UnsafeBufferPointer<UInt8>>

    mutating func date() -> CivilTime? {
        guard let weekday = index(in: CivilTime.weekdayNames) else { return nil }
        if takes(", ") {
            // For example `Sun, 06 Nov 1994 08:49:37 GMT`.
            guard let day = number(2), takes(" "), let month = index(in: CivilTime.monthNames), takes(" "),
                let year = number(4), takes(" "), let time = time(), takes(" GMT")
            else { return nil }
            return Self.civil(year, month, day, time)
        }
        if takes(" ") {
            // For example `Sun Nov  6 08:49:37 1994`.
            guard let month = index(in: CivilTime.monthNames), takes(" "), let day = takes(" ") ? number(1) : number(2),
                takes(" "), let time = time(), takes(" "), let year = number(4)
            else { return nil }
            return Self.civil(year, month, day, time)
        }
        // For example `Sunday, 06-Nov-94 08:49:37 GMT`.
        guard takes(Self.weekdayEndings[weekday]), takes(", "), let day = number(2), takes("-"),
            let month = index(in: CivilTime.monthNames), takes("-"), let year = number(2), takes(" "),
            let time = time(), takes(" GMT")
        else { return nil }
        // The same century as for cookies (RFC 6265bis section 5.1.1), so that the result does not depend on a clock.
        return Self.civil(year + (year < 70 ? 2000 : 1900), month, day, time)
    }

    private static func civil(
        _ year: Int, _ month: Int, _ day: Int, _ time: (hour: Int, minute: Int, second: Int)
    ) -> CivilTime? {
        CivilTime(
            year: year, month: month + 1, day: day, hour: time.hour, minute: time.minute, second: time.second)
    }

    /// For example `08:49:37`.
    private mutating func time() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(2), takes(":"), let minute = number(2), takes(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }

    /// The index of the name that comes next.
    private mutating func index(in names: [StaticString]) -> Int? {
        for (index, name) in names.enumerated() where takes(name) { return index }
        return nil
    }

    /// Whether the text comes next, in upper or lower case. If so, it is consumed.
    private mutating func takes(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        let isNext = text.withUTF8Buffer { expected in
            rest.prefix(count).lazy.map(\.lowercasedASCII).elementsEqual(expected.lazy.map(\.lowercasedASCII))
        }
        if isNext { rest = rest.dropFirst(count) }
        return isNext
    }

    /// A number of exactly `count` digits.
    private mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count).compactMap(\.digitValue)
        guard digits.count == count else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + $1 }
    }
}
