// TableText: reads the numbers of a generated table, one after another.

/// The format of the texts is described at ``IDNATableData``.
struct TableText {
    private let digits: [UInt8]
    private var position = 0

    init(_ text: StaticString) {
        // The line breaks of the literal have smaller values than `0`.
        digits = "\(text)".utf8.filter { $0 >= 0x30 }
    }

    /// The next number; nil at the end.
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
