// JSONTree: the JSON body that items build, in their order.

import TsubameRequestFiles

/// A JSON object or array that grows value by value. A value keeps the text that was typed. If another item leads into
/// a value, the value is split, and its members keep their text.
struct JSONTree {
    /// The limit for all elements of all arrays. Without it, `a[999999999]=` would fill the memory with nulls.
    static let maximumElements = 1_000_000

    /// The error for a step, with the index of the step.
    struct Fault: Error {
        let words: String
        let step: Int
    }

    // Belongs to one tree only, which makes the shared references safe.
    private final class Node {
        enum Value {
            case text(String)
            case object(Object)
            case array([Node])
        }

        struct Object {
            var members: [(name: String, node: Node)] = []
            /// The position of the last member of each name.
            var index: [String: Int] = [:]

            mutating func append(_ name: String, _ node: Node) {
                index[name] = members.count
                members.append((name, node))
            }
        }

        var value: Value

        init(_ value: Value) { self.value = value }

        /// The kind of the value, in JSON's words.
        var kind: String {
            switch value {
            case .object: return "an object"
            case .array: return "an array"
            case .text(let text):
                switch text.utf8.first {
                case UInt8(ascii: "\""): return "a string"
                case UInt8(ascii: "t"), UInt8(ascii: "f"): return "true or false"
                case UInt8(ascii: "n"): return "null"
                default: return "a number"
                }
            }
        }
    }

    private var root: Node?
    private var elements = 0

    var isEmpty: Bool { root == nil }

    /// Puts a value where the steps lead. A missing value or null on the way is created, and an existing value at the
    /// end is replaced.
    /// - Parameters:
    ///   - json: valid JSON, without white space around it.
    ///   - name: the name as it was typed, for the error.
    mutating func set(_ steps: [NestedName.Step], to json: String, name: [UInt8]) throws(Fault) {
        guard let first = steps.first else { return }
        var node = root ?? Self.container(for: first.kind)
        root = node
        for number in steps.indices {
            let next = steps.dropFirst(number + 1).first
            let made = next.map { Self.container(for: $0.kind) } ?? Node(.text(json))
            node = try descend(from: node, number, steps, making: made, isLast: next == nil, name: name)
        }
    }

    private static func container(for kind: NestedName.Step.Kind) -> Node {
        switch kind {
        case .member: Node(.object(Node.Object()))
        case .element, .appended: Node(.array([]))
        }
    }

    private mutating func descend(
        from node: Node, _ number: Int, _ steps: [NestedName.Step], making made: Node, isLast: Bool, name: [UInt8]
    ) throws(Fault) -> Node {
        open(node)
        switch (steps[number].kind, node.value) {
        case (.member(let member), .object(var object)):
            if let position = object.index[member] {
                let there = object.members[position].node
                if !isLast, !Self.isNull(there) { return there }
                // Releases the node's reference to the members. Otherwise each change would copy them, in quadratic
                // time.
                node.value = Self.nothing
                object.members[position].node = made
            } else {
                node.value = Self.nothing
                object.append(member, made)
            }
            node.value = .object(object)
        case (.element(let position), .array(var nodes)):
            if position < nodes.count, !isLast, !Self.isNull(nodes[position]) { return nodes[position] }
            if position >= nodes.count {
                // Checked before any element is created.
                guard position - nodes.count < Self.maximumElements - elements else { throw tooMany(number) }
                let missing = position - nodes.count + 1
                elements += missing
                node.value = Self.nothing
                // All of them share one node, because null is never changed, only replaced.
                nodes.append(contentsOf: repeatElement(Node(.text("null")), count: missing))
            }
            node.value = Self.nothing
            nodes[position] = made
            node.value = .array(nodes)
        case (.appended, .array(var nodes)):
            guard elements < Self.maximumElements else { throw tooMany(number) }
            elements += 1
            node.value = Self.nothing
            nodes.append(made)
            node.value = .array(nodes)
        case (let kind, _):
            throw Fault(words: Self.conflict(node, kind, before: number, steps, name), step: number)
        }
        return made
    }

    private static var nothing: Node.Value { .text("null") }

    private static func isNull(_ node: Node) -> Bool {
        if case .text("null") = node.value { true } else { false }
    }

    private func tooMany(_ step: Int) -> Fault {
        Fault(words: "the arrays would have more than \(Self.maximumElements) elements", step: step)
    }

    private static func conflict(
        _ node: Node, _ kind: NestedName.Step.Kind, before number: Int, _ steps: [NestedName.Step], _ name: [UInt8]
    ) -> String {
        let end = number > 0 ? steps[number - 1].range.upperBound : 0
        let place = end > 0 ? "“\(String(decoding: name.prefix(end), as: UTF8.self))”" : "the body"
        return switch kind {
        case .member: "\(place) is \(node.kind): only an object has members"
        case .element: "\(place) is \(node.kind): only an array has elements"
        case .appended: "\(place) is \(node.kind): only an array can be appended to"
        }
    }

    /// Splits a text that is an object or an array.
    private mutating func open(_ node: Node) {
        guard case .text(let text) = node.value, let parts = JSONParts(text) else { return }
        switch parts {
        case .object(let members):
            var object = Node.Object()
            for member in members { object.append(member.name, Node(.text(member.value))) }
            node.value = .object(object)
        case .array(let values):
            // These elements were typed, so the limit does not apply to them, but they count.
            elements += values.count
            node.value = .array(values.map { Node(.text($0)) })
        }
    }

    /// The whole tree as JSON; `{}` if it is empty.
    var text: String {
        var result = ""
        if let root { Self.write(root, into: &result) } else { result = "{}" }
        return result
    }

    private static func write(_ node: Node, into result: inout String) {
        switch node.value {
        case .text(let text):
            result += text
        case .object(let object):
            result += "{"
            for (number, member) in object.members.enumerated() {
                result += number > 0 ? ", " : ""
                result += "\(JSONSyntax.string(member.name)): "
                write(member.node, into: &result)
            }
            result += "}"
        case .array(let nodes):
            result += "["
            for (number, node) in nodes.enumerated() {
                result += number > 0 ? ", " : ""
                write(node, into: &result)
            }
            result += "]"
        }
    }
}
