// PublicSuffixAutomaton: walks the built-in list in place. Scripts/tables/make-public-suffixes.py describes its form.

enum PublicSuffixAutomaton {
    private static let first: UInt8 = 0x21
    private static let last = first + 38
    private static let value = last + 38
    private static let end: UInt8 = 0x7E
    private static let digits = 94

    /// Calls `body` for each rule of `name` or of a domain above it, with the flags of the rule and the place in `name`
    /// where the rule's name begins. The rule nearest to the root comes first.
    static func forEachRule(of name: UnsafeBufferPointer<UInt8>, _ body: (_ start: Int, _ flags: UInt8) -> Void) {
        PublicSuffixTableData.automaton.withUTF8Buffer { table in
            var walk = Walk(table: table, name: name, rest: name.count)
            walk.run(body)
        }
    }

    private struct Walk {
        let table: UnsafeBufferPointer<UInt8>
        let name: UnsafeBufferPointer<UInt8>
        /// The number of bytes of the name that are left. The name is read from its end.
        var rest: Int
        var at = 0

        /// Every step moves forwards in the table, so the walk ends even if the table is wrong.
        mutating func run(_ body: (Int, UInt8) -> Void) {
            node: while true {
                if let flags = flags(byte) {
                    if isAtLabel(rest) { body(rest, flags) }
                    at += 1
                }
                while byte != end {
                    let place = label()
                    if let flags = flags(byte) {
                        at += 1
                        guard let place else { continue }
                        return isAtLabel(place) ? body(place, flags) : ()
                    }
                    let distance = distance()
                    guard let place else { continue }
                    at += distance
                    rest = place
                    continue node
                }
                return
            }
        }

        private var byte: UInt8 { at < table.count ? table[at] : end }

        /// Moves past the characters of an edge.
        /// - Returns: where the characters begin in the name; nil if the name has other characters.
        private mutating func label() -> Int? {
            var place: Int? = rest
            while byte != end {
                let isLast = byte >= last
                let code = byte - (isLast ? last : first)
                if let known = place { place = known > 0 && Self.code(of: name[known - 1]) == code ? known - 1 : nil }
                at += 1
                if isLast { break }
            }
            return place
        }

        private mutating func distance() -> Int {
            let head = digit()
            switch head {
            case ..<32: return head
            case ..<64: return (head - 32) * digits + digit()
            default: return ((head - 64) * digits + digit()) * digits + digit()
            }
        }

        private mutating func digit() -> Int {
            defer { at += 1 }
            return Int(byte) - Int(first)
        }

        private func flags(_ byte: UInt8) -> UInt8? {
            guard byte >= value, byte != end else { return nil }
            let index = Int(byte - value)
            return index < PublicSuffixTableData.values.count ? PublicSuffixTableData.values[index] : 0
        }

        /// Whether a label begins at `place`.
        private func isAtLabel(_ place: Int) -> Bool { place == 0 || name[place - 1] == UInt8(ascii: ".") }

        private static func code(of byte: UInt8) -> UInt8? {
            switch byte {
            case 0x61...0x7A: byte - 0x61
            case 0x30...0x39: byte - 0x30 + 26
            case UInt8(ascii: "-"): 36
            case UInt8(ascii: "."): 37
            default: nil
            }
        }
    }
}
