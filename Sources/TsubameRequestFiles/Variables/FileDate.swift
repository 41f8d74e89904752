// FileDate: a moment, and its text in the formats of requests and asserts.

import TsubamePlatform

/// A moment in universal time, with nanoseconds.
package struct FileDate: Sendable, Hashable {
    /// Since 1970. Leap seconds are not counted.
    package let seconds: Int64
    /// From 0 to 999,999,999.
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32 = 0) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }

    package static func now() -> FileDate {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return FileDate(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    package func adding(seconds more: Int64) -> FileDate {
        let (sum, isTooLarge) = seconds.addingReportingOverflow(more)
        return FileDate(seconds: isTooLarge ? (more < 0 ? .min : .max) : sum, nanoseconds: nanoseconds)
    }

    package func adding(milliseconds: Int64) -> FileDate {
        let whole = Int64((Double(milliseconds) / 1_000).rounded(.down))
        let sum = nanoseconds + Int32(milliseconds - whole * 1_000) * 1_000_000
        let isOver = sum >= 1_000_000_000
        return FileDate(
            seconds: adding(seconds: whole + (isOver ? 1 : 0)).seconds, nanoseconds: isOver ? sum - 1_000_000_000 : sum)
    }

    /// The same time of day some months later or earlier. A day that the month does not have becomes its last day.
    /// - Returns: nil if the year has more than six digits.
    package func adding(months: Int64) -> FileDate? {
        var (time, parts) = (time_t(seconds), tm())
        guard months.magnitude < 100_000_000, seconds.magnitude < 30_000_000_000_000, gmtime_r(&time, &parts) != nil
        else { return nil }
        let month = Int64(parts.tm_year) * 12 + Int64(parts.tm_mon) + months
        let year = Int64((Double(month) / 12).rounded(.down))
        guard (-1_000_000...1_000_000).contains(year) else { return nil }
        parts.tm_year = Int32(year)
        parts.tm_mon = Int32(month - year * 12)
        parts.tm_mday = min(parts.tm_mday, Self.days(inMonth: Int(parts.tm_mon), of: Int(year) + 1900))
        return FileDate(seconds: Int64(timegm(&parts)), nanoseconds: nanoseconds)
    }

    private static func days(inMonth month: Int, of year: Int) -> Int32 {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return month == 1 ? (isLeap ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31
    }

    /// RFC 3339 with microseconds, such as `2026-01-30T10:00:00.000000Z`.
    package var text: String {
        let micro = String(nanoseconds / 1_000)
        let digits = String(repeating: "0", count: 6 - micro.count) + micro
        return (formatted("%Y-%m-%dT%H:%M:%S") ?? "") + ".\(digits)Z"
    }

    /// The text in a format of `strftime`; nil if the format gives no text, or if the year has more than nine digits.
    /// - Parameter isLocal: whether the text has the time of the machine's zone.
    package func formatted(_ format: String, isLocal: Bool = false) -> String? {
        let format = withFraction(format)
        var (time, parts) = (time_t(seconds), tm())
        guard seconds.magnitude < 30_000_000_000_000_000, !format.isEmpty,
            isLocal ? localtime_r(&time, &parts) != nil : gmtime_r(&time, &parts) != nil
        else { return nil }
        var buffer = [CChar](repeating: 0, count: 1_024)
        let count = strftime(&buffer, buffer.count, format, &parts)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The format with the digits of the second in place of `%.f`, `%.3f`, `%f` and `%+`, which `strftime` does not have.
    private func withFraction(_ format: String) -> String {
        let nine = String(String(nanoseconds + 1_000_000_000).dropFirst())
        let short =
            nanoseconds == 0
            ? ""
            : ".\(nanoseconds % 1_000_000 == 0 ? nine.prefix(3) : nanoseconds % 1_000 == 0 ? nine.prefix(6) : nine[...])"
        return format.replacing("%+", with: "%Y-%m-%dT%H:%M:%S%.f+00:00")
            .replacing("%.3f", with: ".\(nine.prefix(3))").replacing("%.6f", with: ".\(nine.prefix(6))")
            .replacing("%.9f", with: ".\(nine)").replacing("%.f", with: short).replacing("%f", with: nine)
    }

    /// Reads a text in a format of `strptime`. A format without a zone means universal time.
    /// - Returns: nil if the text does not fit the format as a whole.
    package init?(_ text: String, format: String) {
        guard let date = DatePattern.date(of: text, format: format) else { return nil }
        self = date
    }

    /// Reads RFC 3339, such as `2026-01-30T10:00:00.5+01:00`.
    package init?(rfc3339 text: String) {
        // The letters T and Z may be small.
        guard let date = DatePattern.date(of: text.uppercased(), format: "%Y-%m-%dT%H:%M:%S%.f%z") else { return nil }
        self = date
    }
}
