// TableText: the numbers of a generated table, one after the other.

/// Reads the texts of ``IDNATableData``.
struct TableText {
    private let digits: [UInt8]
    private var position = 0

    init(_ text: StaticString) {
        // Less than this are the breaks between the lines of the literal.
        digits = "\(text)".utf8.filter { $0 >= 0x30 }
    }

    /// nil at the end.
    mutating func next() -> Int? {
        guard position < digits.count else { return nil }
        var (value, shift) = (0, 0)
        while position < digits.count {
            let digit = Int(digits[position]) - 0x30
            position += 1
            value |= (digit & 31) << shift
            shift += 5
            if digit & 32 == 0 { break }
        }
        return value
    }

    mutating func nextSigned() -> Int? {
        next().map { $0 & 1 == 0 ? $0 / 2 : -($0 / 2) - 1 }
    }
}
