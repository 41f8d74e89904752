// A coded character set: rows of cells, with the character of each.

struct CharacterTable: Sendable {
    /// Zero where there is no character. Filled once, when a text is first read in such an encoding: a literal of
    /// thousands of numbers would cost more, in compiling and at every start.
    private let codePoints: [UInt32]

    /// The code point at a place, counted from zero over rows and cells; nil if there is none.
    subscript(position: Int) -> UInt32? {
        guard codePoints.indices.contains(position), codePoints[position] != 0 else { return nil }
        return codePoints[position]
    }

    /// A table out of texts with a line a row and a character a cell: `.` where there is none, and `=` where the code
    /// point is the place and 80, which makes it the byte's own number in an encoding of one byte.
    init(rows: Int, cells: Int, _ parts: [(firstRow: Int, text: StaticString)]) {
        var codePoints = [UInt32](repeating: 0, count: rows * cells)
        for part in parts {
            var row = part.firstRow
            var position = row * cells
            for scalar in "\(part.text)".unicodeScalars {
                switch scalar {
                case "\n":
                    row += 1
                    position = row * cells
                    continue
                case ".":
                    break
                case "=":
                    if codePoints.indices.contains(position) { codePoints[position] = UInt32(0x80 + position) }
                default:
                    if codePoints.indices.contains(position) { codePoints[position] = scalar.value }
                }
                position += 1
            }
        }
        self.codePoints = codePoints
    }
}

// Each is filled when it is first asked for.
extension CharacterTable {
    /// JIS X 0208 with the extensions of NEC and IBM, rows 1 to 120 of 94 cells.
    static let jisX0208 = CharacterTable(
        rows: 120, cells: 94, [(firstRow: 0, JISTableData.jisX0208), (firstRow: 114, JISTableData.ibmExtensions)])

    /// JIS X 0212, rows 1 to 94 of 94 cells.
    static let jisX0212 = CharacterTable(rows: 94, cells: 94, [(firstRow: 0, JISTableData.jisX0212)])

    /// The two bytes of GB18030 without the areas for private use: lead bytes 81 to FE, 190 trail bytes.
    static let gb18030 = CharacterTable(rows: 126, cells: 190, [(firstRow: 0, GB18030TableData.twoBytes)])

    /// Big5 with the characters of Hong Kong: lead bytes 81 to FE, 157 trail bytes.
    static let big5 = CharacterTable(rows: 126, cells: 157, [(firstRow: 0, Big5TableData.twoBytes)])

    /// EUC-KR as Windows has it: lead bytes 81 to FE, 190 trail bytes.
    static let eucKR = CharacterTable(rows: 126, cells: 190, [(firstRow: 0, EUCKRTableData.twoBytes)])
}
