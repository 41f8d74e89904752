// JSONPath: a query that selects values within a JSON value (RFC 9535).

/// A query such as `$.store.book[?@.price < 10].title`.
package struct JSONPath: Sendable {
    /// The reason why a text is no query.
    package struct Problem: Error, Equatable {
        package let reason: String
        /// The position in the query, in Unicode scalars.
        package let offset: Int
    }

    /// More values were selected than are kept.
    package struct TooMany: Error {}

    /// The most values that a query may select at any of its steps. `$..[*]..[*]` selects some values many times, so a
    /// server could fill the memory.
    package static let maximumValues = 1_000_000

    struct Segment: Sendable {
        /// Whether the selectors apply to all values below, too.
        let isDescendant: Bool
        let selectors: [Selector]
    }

    indirect enum Selector: Sendable {
        case name(String)
        case wildcard
        case index(Int)
        case slice(start: Int?, end: Int?, step: Int)
        case filter(JSONPathFilter)
    }

    let segments: [Segment]
    /// Whether the query selects one value at most, because it only names members and elements.
    package let isSingular: Bool

    /// - Throws: ``Problem`` at the place where the text is no query.
    package init(_ text: String) throws(Problem) {
        var parser = JSONPathParser(text)
        try self.init(parser.parse())
    }

    init(_ segments: [Segment]) {
        self.segments = segments
        isSingular = segments.allSatisfy { segment in
            guard !segment.isDescendant, segment.selectors.count == 1 else { return false }
            return switch segment.selectors[0] {
            case .name, .index: true
            case .wildcard, .slice, .filter: false
            }
        }
    }

    /// The selected values, in the order of the document.
    /// - Throws: ``TooMany`` if they are more than ``maximumValues``.
    package func values(in root: JSONValue) throws(TooMany) -> [JSONValue] { try values(from: root, root: root) }

    /// - Parameter start: the value at which the query begins: the root, or the current one of a filter.
    func values(from start: JSONValue, root: JSONValue) throws(TooMany) -> [JSONValue] {
        var found = [start]
        for segment in segments {
            var next: [JSONValue] = []
            for value in found { try segment.select(in: value, root: root, into: &next) }
            if next.isEmpty { return [] }
            found = next
        }
        return found
    }
}

extension JSONPath.Segment {
    fileprivate func select(
        in value: JSONValue, root: JSONValue, into found: inout [JSONValue]
    ) throws(JSONPath.TooMany) {
        for selector in selectors { try selector.select(in: value, root: root, into: &found) }
        guard isDescendant else { return }
        for child in value.children { try select(in: child, root: root, into: &found) }
    }
}

extension JSONPath.Selector {
    fileprivate func select(
        in value: JSONValue, root: JSONValue, into found: inout [JSONValue]
    ) throws(JSONPath.TooMany) {
        switch self {
        case .name(let name): if let member = value.member(name) { found.append(member) }
        case .wildcard: found.append(contentsOf: value.children)
        case .index(let index):
            guard case .array(let elements) = value else { break }
            let place = index < 0 ? elements.count + index : index
            if elements.indices.contains(place) { found.append(elements[place]) }
        case .slice(let start, let end, let step):
            guard case .array(let elements) = value, step != 0 else { break }
            for place in Self.places(start, end, step, count: elements.count) { found.append(elements[place]) }
        case .filter(let filter):
            for child in value.children where try filter.holds(for: child, root: root) { found.append(child) }
        }
        if found.count > JSONPath.maximumValues { throw JSONPath.TooMany() }
    }

    /// The positions of a slice (RFC 9535 section 2.3.4.2.2). No bound of a query overflows, because bounds have at most
    /// 53 bits.
    private static func places(_ start: Int?, _ end: Int?, _ step: Int, count: Int) -> StrideTo<Int> {
        func normal(_ bound: Int) -> Int { bound >= 0 ? bound : count + bound }
        if step > 0 {
            let lower = min(max(normal(start ?? 0), 0), count)
            let upper = min(max(normal(end ?? count), 0), count)
            return stride(from: lower, to: upper, by: step)
        }
        let upper = min(max(start.map(normal) ?? count - 1, -1), count - 1)
        let lower = min(max(end.map(normal) ?? -1, -1), count - 1)
        return stride(from: upper, to: lower, by: step)
    }
}

extension JSONValue {
    var children: [JSONValue] {
        switch self {
        case .object(let members):
            // If two members have the same name, only the last one is a child.
            guard members.count > 1 else { return members.map(\.value) }
            var last: [[UInt8]: Int] = [:]
            for (index, member) in members.enumerated() { last[Array(member.name.utf8)] = index }
            if last.count == members.count { return members.map(\.value) }
            return members.indices.filter { last[Array(members[$0].name.utf8)] == $0 }.map { members[$0].value }
        case .array(let elements): return elements
        default: return []
        }
    }

    /// The member of this name. Names are compared by their scalars, and not by canonical equivalence.
    func member(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}
