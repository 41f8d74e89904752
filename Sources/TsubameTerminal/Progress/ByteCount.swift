// ByteCount: formats a number of bytes for people.

package enum ByteCount {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// Such as `0 B`, `999 B`, `1.5 KiB`, `12.3 MiB`; a negative number counts as 0.
    package static func text(_ count: Int64) -> String {
        let (number, unit) = parts(max(count, 0))
        return "\(number) \(unit)"
    }

    /// Such as `1.5/12.3 MiB`, both in the unit of the second number.
    package static func text(_ count: Int64, of total: Int64) -> String {
        let exponent = exponent(max(total, 0))
        return "\(number(max(count, 0), exponent))/\(number(max(total, 0), exponent)) \(units[exponent])"
    }

    private static func parts(_ count: Int64) -> (number: String, unit: String) {
        let exponent = exponent(count)
        return (number(count, exponent), units[exponent])
    }

    private static func exponent(_ count: Int64) -> Int {
        var (rest, exponent) = (count, 0)
        // 1024 of a unit are written as 1.0 of the next unit.
        while rest >= 1024, exponent < units.count - 1 {
            rest >>= 10
            exponent += 1
        }
        return exponent
    }

    private static func number(_ count: Int64, _ exponent: Int) -> String {
        guard exponent > 0 else { return String(count) }
        let shift = Int64(10 * exponent)
        let whole = count >> shift
        let tenths = ((count >> (shift - 10)) & 1023) * 10 / 1024
        return "\(whole).\(tenths)"
    }
}
