// ParameterNode: the tree that the names of parameters describe.

/// The content of one name: its texts, its named children, and the elements of an array without names.
final class ParameterNode {
    /// The limit for nested names. Each level is a nested call of the decoder, so the limit bounds the stack.
    static let maximumDepth = 32

    private(set) var values: [String] = []
    private(set) var keys: [String] = []
    private var children: [String: ParameterNode] = [:]
    private(set) var elements: [ParameterNode] = []

    init() {}

    init(value: String) { values = [value] }

    /// - Throws: `DecodingError.dataCorrupted` if a name nests deeper than ``maximumDepth`` levels.
    init(_ parameters: Parameters, nesting: ParameterCoding.Nesting) throws {
        for parameter in parameters {
            let steps = Step.steps(of: parameter.name, nesting)
            guard steps.count <= Self.maximumDepth else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: [],
                        debugDescription:
                            "A name nests deeper than \(Self.maximumDepth) levels: \(parameter.name.prefix(60))…"
                    ))
            }
            insert(parameter.value, at: steps[...])
        }
    }

    subscript(key: String) -> ParameterNode? { children[key] }

    private func insert(_ value: String, at steps: ArraySlice<Step>) {
        let rest = steps.dropFirst()
        switch steps.first {
        case nil: values.append(value)
        case .key(let key)?: child(key).insert(value, at: rest)
        case .element?: element(before: rest.first).insert(value, at: rest)
        }
    }

    private func child(_ key: String) -> ParameterNode {
        if let child = children[key] { return child }
        let child = ParameterNode()
        keys.append(key)
        children[key] = child
        return child
    }

    /// `list[][a]=1&list[][b]=2&list[][a]=3` has two elements. A name that the last element already has begins the
    /// next one.
    private func element(before next: Step?) -> ParameterNode {
        if case .key(let key)? = next, let last = elements.last, last[key] == nil, last.values.isEmpty { return last }
        let element = ParameterNode()
        elements.append(element)
        return element
    }

    /// The node as an array, or nil if it cannot be one. The elements are those without names, those with numbers for
    /// names in numeric order, or the values of a repeated name.
    var array: [ParameterNode]? {
        if !elements.isEmpty { return elements }
        if keys.isEmpty { return values.map(ParameterNode.init(value:)) }
        var numbered: [(Int, ParameterNode)] = []
        for key in keys {
            guard let index = Int(key), index >= 0, let child = children[key] else { return nil }
            numbered.append((index, child))
        }
        return numbered.sorted { $0.0 < $1.0 }.map(\.1)
    }

    var isLeaf: Bool { keys.isEmpty && elements.isEmpty }
}

extension ParameterNode {
    fileprivate enum Step {
        case key(String)
        case element

        /// `a[b][]` has three steps, and so has `a.b[]` with dots. A name with unmatched brackets is one step.
        static func steps(of name: String, _ nesting: ParameterCoding.Nesting) -> [Step] {
            guard name.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ".") }) else {
                return [.key(name)]
            }
            var steps: [Step] = []
            let parts = nesting == .dots ? name.split(separator: ".", omittingEmptySubsequences: false) : [name[...]]
            for part in parts {
                guard let groups = groups(of: part) else { return [.key(name)] }
                steps += groups
                // The caller refuses names that are too deep, so a megabyte of brackets need not be read to its end.
                if steps.count > ParameterNode.maximumDepth { break }
            }
            return steps
        }

        private static func groups(of part: Substring) -> [Step]? {
            let head = part.prefix { $0 != "[" }
            guard !head.isEmpty else { return nil }
            var steps = [Step.key(String(head))]
            var rest = part[head.endIndex...]
            while rest.first == "[" {
                guard let end = rest.firstIndex(of: "]") else { return nil }
                let key = rest[rest.index(after: rest.startIndex)..<end]
                steps.append(key.isEmpty ? .element : .key(String(key)))
                if steps.count > ParameterNode.maximumDepth { return steps }
                rest = rest[rest.index(after: end)...]
            }
            return rest.isEmpty ? steps : nil
        }
    }
}
