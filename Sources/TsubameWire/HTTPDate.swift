// Dates in fields (RFC 9110 §5.6.7), as seconds since 1970. CookieDate.swift has the looser dates of cookies.

package enum HTTPDate {
    /// Reads IMF-fixdate, RFC 850's and asctime's form; nil for anything else.
    ///
    /// The name of the weekday has to be one, but need not be the date's. Case does not matter.
    /// - Parameter now: decides the century of RFC 850's two-digit year: the latest that is at most 50 years ahead.
    ///   Without it, 70 to 99 are of the 20th century, 00 to 69 of the 21st.
    package static func parse(_ text: String, now: Int64? = nil) -> Int64? {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = DateScanner(bytes: bytes)
            guard scanner.takeWeekday() else { return nil }
            let seconds = scanner.take(",") ? dayFirst(&scanner, now: now) : asctime(&scanner)
            return scanner.isAtEnd ? seconds : nil
        }
    }

    /// IMF-fixdate, the form to send: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// It has four digits for the year: what lies before the year 0 or after 9999 is written as the first or last
    /// second of that span.
    package static func format(_ secondsSince1970: Int64) -> String {
        let time = CivilTime(secondsSince1970: min(max(secondsSince1970, -62_167_219_200), 253_402_300_799))
        return "\(time.weekdayName), \(CivilTime.digits(time.day)) \(time.monthName)"
            + " \(CivilTime.digits(time.year, 4)) \(time.timeOfDay) GMT"
    }

    /// ` 06 Nov 1994 08:49:37 GMT` or ` 06-Nov-94 08:49:37 GMT`
    private static func dayFirst(_ scanner: inout DateScanner, now: Int64?) -> Int64? {
        guard scanner.take(" "), let day = scanner.takeNumber(digits: 2) else { return nil }
        let isShort = scanner.take("-")
        guard isShort || scanner.take(" "), let month = scanner.takeMonth(), scanner.take(isShort ? "-" : " "),
            let year = scanner.takeNumber(digits: isShort ? 2 : 4), scanner.take(" "),
            let time = scanner.takeTime(), scanner.take(" GMT")
        else { return nil }
        return CivilTime(
            year: isShort ? fullYear(year, now: now) : year, month: month, day: day,
            hour: time.hour, minute: time.minute, second: time.second
        )?.secondsSince1970
    }

    /// ` Nov  6 08:49:37 1994`
    private static func asctime(_ scanner: inout DateScanner) -> Int64? {
        guard scanner.take(" "), let month = scanner.takeMonth(), scanner.take(" "),
            let day = scanner.takeNumber(digits: scanner.take(" ") ? 1 : 2), scanner.take(" "),
            let time = scanner.takeTime(), scanner.take(" "), let year = scanner.takeNumber(digits: 4)
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second
        )?.secondsSince1970
    }

    private static func fullYear(_ shortYear: Int, now: Int64?) -> Int {
        guard let now else { return shortYear + (shortYear < 70 ? 2000 : 1900) }
        let thisYear = Int(CivilTime(secondsSince1970: min(max(now, 0), 253_402_300_799)).year)
        let sameCentury = thisYear / 100 * 100 + shortYear
        let candidates = [sameCentury + 100, sameCentury, sameCentury - 100]
        return candidates.first { $0 <= thisYear + 50 } ?? sameCentury
    }
}

/// Takes pieces from the front; what does not fit is left where it is.
private struct DateScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    private func byte(at offset: Int) -> UInt8? {
        offset < bytes.count &- position ? bytes[position &+ offset] : nil
    }

    /// Case does not matter.
    mutating func take(_ text: StaticString) -> Bool {
        let matches = text.withUTF8Buffer { expected in
            expected.indices.allSatisfy { byte(at: $0)?.lowercasedASCII == expected[$0].lowercasedASCII }
        }
        if matches { position &+= text.utf8CodeUnitCount }
        return matches
    }

    mutating func takeNumber(digits: Int) -> Int? {
        var number = 0
        for offset in 0..<digits {
            guard let digit = byte(at: offset)?.digitValue else { return nil }
            number = number * 10 + digit
        }
        position &+= digits
        return number
    }

    mutating func takeMonth() -> Int? {
        for (index, name) in CivilTime.monthNames.enumerated() where take(name) { return index + 1 }
        return nil
    }

    /// `Sun` or `Sunday`
    mutating func takeWeekday() -> Bool {
        for name in CivilTime.weekdayNames where take(name.long) || take(name.short) { return true }
        return false
    }

    /// `08:49:37`
    mutating func takeTime() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = takeNumber(digits: 2), take(":"), let minute = takeNumber(digits: 2), take(":"),
            let second = takeNumber(digits: 2)
        else { return nil }
        return (hour, minute, second)
    }
}

extension UInt8 {
    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    var digitValue: Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self &- UInt8(ascii: "0")) : nil
    }
}
