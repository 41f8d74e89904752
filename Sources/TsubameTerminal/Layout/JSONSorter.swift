// JSONSorter: sorts the members of JSON objects by name, and lays the text out.

/// The order is known only at the end, so a text is kept until it is complete. A text of more than ``limit`` bytes, one
/// that is nested too deep, and one that is not JSON keep their order. Names are compared by their bytes, escapes
/// included. Members of the same name keep their order.
package struct JSONSorter: Layout {
    /// The longest text that is sorted, in bytes.
    package static let limit = 4 << 20
    private static let maximumDepth = 500

    private var indenter: JSONIndenter
    private var text: [UInt8] = []
    private var isTooLong = false

    package init(indent: Int) { indenter = JSONIndenter(indent: indent) }

    package mutating func lay(_ input: [UInt8], into output: inout [UInt8]) {
        guard !isTooLong else { return indenter.lay(input, into: &output) }
        text.append(contentsOf: input)
        guard text.count > Self.limit else { return }
        isTooLong = true
        indenter.lay(text, into: &output)
        text = []
    }

    package mutating func finish(into output: inout [UInt8]) {
        indenter.lay(sorted ?? text, into: &output)
        indenter.finish(into: &output)
        text = []
    }

    /// nil if the text is not one JSON object or array.
    private var sorted: [UInt8]? {
        let rest = JSONPrefix.rest(of: text[...])
        var scanner = Scanner(bytes: Array(rest))
        guard scanner.value(depth: 0), scanner.atEnd else { return nil }
        var result = Array(text.prefix(text.count - rest.count))
        // The line's end after a prefix.
        if !result.isEmpty { result.append(contentsOf: rest.prefix { $0 == 0x0A || $0 == 0x0D }) }
        scanner.write(into: &result)
        return result
    }

    /// Finds the members of all objects. White space is left out.
    private struct Scanner {
        let bytes: [UInt8]
        private var offset = 0
        /// The parts of the text in the order in which they were found: for each container its parts, by their numbers.
        private var nodes: [Node] = []

        private struct Node {
            /// The bytes of a string, number or literal.
            var word: Range<Int> = 0..<0
            var open: UInt8 = 0
            /// The numbers of the elements, or of the names and values in turn.
            var children: [Int] = []
        }

        init(bytes: [UInt8]) { self.bytes = bytes }

        var atEnd: Bool {
            mutating get {
                skipBlanks()
                return offset == bytes.count && nodes.first.map { $0.open != 0 } == true
            }
        }

        private mutating func skipBlanks() {
            while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard offset < bytes.count, bytes[offset] == byte else { return false }
            offset += 1
            return true
        }

        mutating func value(depth: Int) -> Bool {
            skipBlanks()
            guard offset < bytes.count, depth < JSONSorter.maximumDepth else { return false }
            switch bytes[offset] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): return container(depth: depth)
            case UInt8(ascii: "\""): return string()
            default:
                let start = offset
                while offset < bytes.count, Self.isWord(bytes[offset]) { offset += 1 }
                nodes.append(Node(word: start..<offset))
                return offset > start
            }
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"), UInt8(ascii: "+"),
                UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }

        private mutating func string() -> Bool {
            let start = offset
            offset += 1
            while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
                offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard offset < bytes.count else { return false }
            offset += 1
            nodes.append(Node(word: start..<offset))
            return true
        }

        private mutating func container(depth: Int) -> Bool {
            let open = bytes[offset]
            let isObject = open == UInt8(ascii: "{")
            offset += 1
            let number = nodes.count
            nodes.append(Node(open: open))
            var children: [Int] = []
            if !take(open &+ 2) {
                repeat {
                    if isObject {
                        skipBlanks()
                        children.append(nodes.count)
                        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\""), string(),
                            take(UInt8(ascii: ":"))
                        else { return false }
                    }
                    children.append(nodes.count)
                    guard value(depth: depth + 1) else { return false }
                } while take(UInt8(ascii: ","))
                guard take(open &+ 2) else { return false }
            }
            nodes[number].children = children
            return true
        }

        func write(into output: inout [UInt8]) { write(0, &output) }

        private func write(_ number: Int, _ output: inout [UInt8]) {
            let node = nodes[number]
            guard node.open != 0 else { return output.append(contentsOf: bytes[node.word]) }
            output.append(node.open)
            if node.open == UInt8(ascii: "[") {
                for (index, child) in node.children.enumerated() {
                    if index > 0 { output.append(UInt8(ascii: ",")) }
                    write(child, &output)
                }
            } else {
                for (index, member) in sortedMembers(of: node).enumerated() {
                    if index > 0 { output.append(UInt8(ascii: ",")) }
                    write(member.name, &output)
                    output.append(UInt8(ascii: ":"))
                    write(member.value, &output)
                }
            }
            output.append(node.open &+ 2)
        }

        private func sortedMembers(of node: Node) -> [(name: Int, value: Int)] {
            let members = stride(from: 0, to: node.children.count, by: 2).map {
                (name: node.children[$0], value: node.children[$0 + 1])
            }
            // The sort of the standard library is stable.
            return members.sorted { first, second in
                bytes[nodes[first.name].word].dropLast().lexicographicallyPrecedes(
                    bytes[nodes[second.name].word].dropLast())
            }
        }
    }
}
