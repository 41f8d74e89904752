// ParameterNode: names and values as the tree that their names describe.

/// What stands under one name: texts, what has names of its own, and elements of an array without any.
final class ParameterNode {
    /// Names nest no deeper: each level is a call of the decoder inside another.
    static let maximumDepth = 32

    private(set) var values: [String] = []
    private(set) var keys: [String] = []
    private var children: [String: ParameterNode] = [:]
    private(set) var elements: [ParameterNode] = []

    init() {}

    init(value: String) { values = [value] }

    /// nil if a name nests deeper than ``maximumDepth``, which is then given.
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

    /// `list[][a]=1&list[][b]=2&list[][a]=3` is two elements: a name that the last one has already begins the next.
    private func element(before next: Step?) -> ParameterNode {
        if case .key(let key)? = next, let last = elements.last, last[key] == nil, last.values.isEmpty { return last }
        let element = ParameterNode()
        elements.append(element)
        return element
    }

    /// The elements, if it can be read as an array: those without names, those with numbers for names in the order of
    /// the numbers, or the values of a name that came several times.
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

        /// `a[b][]` is three steps, and so is `a.b[]` with dots. A name whose brackets do not match is one.
        static func steps(of name: String, _ nesting: ParameterCoding.Nesting) -> [Step] {
            guard name.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ".") }) else {
                return [.key(name)]
            }
            var steps: [Step] = []
            let parts = nesting == .dots ? name.split(separator: ".", omittingEmptySubsequences: false) : [name[...]]
            for part in parts {
                guard let groups = groups(of: part) else { return [.key(name)] }
                steps += groups
                // More than are allowed are refused by whoever asked; no need to go on for a megabyte of brackets.
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
