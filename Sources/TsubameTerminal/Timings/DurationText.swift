// DurationText: formats a duration for people.

package enum DurationText {
    /// Such as `0.87 ms`, `45.6 ms`, `1.234 s`.
    package static func short(_ duration: Duration) -> String {
        let microseconds = microseconds(duration)
        return switch microseconds {
        case ..<10_000: "\(fraction(microseconds / 10, digits: 2)) ms"
        case ..<1_000_000: "\(fraction(microseconds / 100, digits: 1)) ms"
        default: "\(fraction(microseconds / 1000, digits: 3)) s"
        }
    }

    /// Such as `1.234567s`.
    package static func seconds(_ duration: Duration) -> String { "\(fraction(microseconds(duration), digits: 6))s" }

    /// Whole microseconds; a negative duration counts as 0.
    private static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let bounded = min(max(seconds, 0), 1_000_000_000)
        return bounded * 1_000_000 + max(attoseconds, 0) / 1_000_000_000_000
    }

    private static func fraction(_ value: Int64, digits: Int) -> String {
        let text = String(value)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.utf8.count)) + text
        return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }
}
