// Span: a time on the command line.

/// A time with its unit, such as `30s`; a number alone is in seconds.
struct Span: Sendable {
    static let standard = seconds(10)
    private static let units: [(name: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
    private static let longest = 100.0 * 3600

    let nanoseconds: UInt64

    static func seconds(_ count: UInt64) -> Span { Span(nanoseconds: count * 1_000_000_000) }

    private init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    init(_ text: String) throws(UsageProblem) {
        let unit = Self.units.first { text.hasSuffix($0.name) }
        let digits = text.dropLast(unit?.name.count ?? 0)
        guard let number = Double(digits), case let seconds = number * (unit?.seconds ?? 1),
            seconds >= 0.001, seconds <= Self.longest
        else {
            throw UsageProblem("“\(text)” is not a time such as 500ms, 30s, 5m or 1h, from 1ms to 100h.")
        }
        nanoseconds = UInt64(seconds * 1e9)
    }
}
