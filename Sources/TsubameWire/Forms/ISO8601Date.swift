// ISO8601Date: dates as JSON and forms write them.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A date such as `2026-11-21T04:35:47Z`, `2026-11-21T04:35:47.25+09:00` or `2026-11-21` (RFC 3339 section 5.6). A
/// date without a time is its first second in UTC.
package struct ISO8601Date {
    package let date: Date

    /// The date in UTC and whole seconds; nil outside of the years 0 to 9999.
    package static func text(of date: Date) -> String? {
        let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down))
        return seconds.flatMap { CivilTime(secondsSince1970: $0).iso8601 }
    }

    package init?(_ text: String) {
        var rest = text.utf8[...]
        /// A number of exactly `digits` digits, after `mark` if it is given.
        func number(_ digits: Int, after mark: Character? = nil) -> Int? {
            if let mark {
                guard rest.first == mark.asciiValue else { return nil }
                rest = rest.dropFirst()
            }
            let text = rest.prefix(digits)
            guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest = rest.dropFirst(digits)
            return Int(String(Substring(text)))
        }
        guard let year = number(4), let month = number(2, after: "-"), let day = number(2, after: "-") else {
            return nil
        }
        var (hour, minute, second, fraction, offset) = (0, 0, 0, 0.0, 0)
        if let separator = rest.first {
            guard separator == UInt8(ascii: "T") || separator == UInt8(ascii: "t") || separator == UInt8(ascii: " ")
            else { return nil }
            rest = rest.dropFirst()
            guard let hours = number(2), let minutes = number(2, after: ":"), let seconds = number(2, after: ":") else {
                return nil
            }
            (hour, minute, second) = (hours, minutes, seconds)
            if rest.first == UInt8(ascii: ".") {
                let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
                guard !digits.isEmpty, let value = Double("0." + String(Substring(digits.prefix(18)))) else {
                    return nil
                }
                fraction = value
                rest = rest[digits.endIndex...]
            }
            switch rest.first {
            case UInt8(ascii: "Z"), UInt8(ascii: "z"): rest = rest.dropFirst()
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                let sign = rest.first == UInt8(ascii: "+") ? 1 : -1
                rest = rest.dropFirst()
                guard let hours = number(2), let minutes = number(2, after: ":"), hours < 24, minutes < 60 else {
                    return nil
                }
                offset = sign * (hours * 3_600 + minutes * 60)
            default: return nil
            }
        }
        guard rest.isEmpty,
            let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        date = Date(timeIntervalSince1970: Double(civil.secondsSince1970 - Int64(offset)) + fraction)
    }
}
