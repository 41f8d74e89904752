// CharacterTable: a coded character set, as rows of cells with a character each.

struct CharacterTable: Sendable {
    /// Zero stands for a cell without a character. The array is filled once, when text in such an encoding is first
    /// read. A literal of thousands of numbers would cost more, in compilation and at every start.
    private let codePoints: [UInt32]

    /// The code point at a position, which counts cells from zero over all rows; nil if there is none.
    subscript(position: Int) -> UInt32? {
        guard codePoints.indices.contains(position), codePoints[position] != 0 else { return nil }
        return codePoints[position]
    }

    /// Creates a table from texts with one line for each row and one character for each cell. `.` is a cell without a
    /// character. `=` is a cell whose code point is its position plus hexadecimal 80: in an encoding of one byte, the
    /// byte itself.
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

// Each table is filled at its first access.
extension CharacterTable {
    /// JIS X 0208 with the extensions of NEC and IBM, rows 1 to 120 of 94 cells.
    static let jisX0208 = CharacterTable(
        rows: 120, cells: 94, [(firstRow: 0, JISTableData.jisX0208), (firstRow: 114, JISTableData.ibmExtensions)])

    /// JIS X 0212, rows 1 to 94 of 94 cells.
    static let jisX0212 = CharacterTable(rows: 94, cells: 94, [(firstRow: 0, JISTableData.jisX0212)])

    /// The two-byte characters of GB18030 without the private use areas: lead bytes 81 to FE, 190 trail bytes.
    static let gb18030 = CharacterTable(rows: 126, cells: 190, [(firstRow: 0, GB18030TableData.twoBytes)])

    /// Big5 with the characters of Hong Kong: lead bytes 81 to FE, 157 trail bytes.
    static let big5 = CharacterTable(rows: 126, cells: 157, [(firstRow: 0, Big5TableData.twoBytes)])

    /// EUC-KR as Windows has it: lead bytes 81 to FE, 190 trail bytes.
    static let eucKR = CharacterTable(rows: 126, cells: 190, [(firstRow: 0, EUCKRTableData.twoBytes)])
}
