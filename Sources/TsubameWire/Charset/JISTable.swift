// A Japanese character set: rows of 94 cells, with the character of each.

struct JISTable: Sendable {
    static let cellsInRow = 94

    /// The places of rows 95 to 114, which Shift_JIS leaves to its users.
    static let userDefined = 94 * cellsInRow..<114 * cellsInRow

    /// JIS X 0208 with the extensions of NEC and IBM, rows 1 to 120.
    static let jisX0208 = JISTable(
        rows: 120, [(firstRow: 1, JISTableData.jisX0208), (firstRow: 115, JISTableData.ibmExtensions)])

    /// JIS X 0212, rows 1 to 94.
    static let jisX0212 = JISTable(rows: 94, [(firstRow: 1, JISTableData.jisX0212)])

    /// Zero where there is no character. Filled once, when a text is first read in such an encoding: a literal of
    /// thousands of numbers would cost more, in compiling and at every start.
    private let codeUnits: [UInt16]

    /// The code point at a place, counted from zero over rows and cells; nil if there is none.
    subscript(position: Int) -> UInt32? {
        guard codeUnits.indices.contains(position), codeUnits[position] != 0 else { return nil }
        return UInt32(codeUnits[position])
    }

    private init(rows: Int, _ parts: [(firstRow: Int, text: StaticString)]) {
        var codeUnits = [UInt16](repeating: 0, count: rows * Self.cellsInRow)
        for part in parts {
            var row = part.firstRow - 1
            var position = row * Self.cellsInRow
            for codeUnit in "\(part.text)".utf16 {
                switch codeUnit {
                case UInt16(ascii: "\n"):
                    row += 1
                    position = row * Self.cellsInRow
                case UInt16(ascii: "."):
                    position += 1
                default:
                    if codeUnits.indices.contains(position) { codeUnits[position] = codeUnit }
                    position += 1
                }
            }
        }
        self.codeUnits = codeUnits
    }
}

extension UInt16 {
    fileprivate init(ascii: Unicode.Scalar) {
        self = UInt16(truncatingIfNeeded: ascii.value)
    }
}
