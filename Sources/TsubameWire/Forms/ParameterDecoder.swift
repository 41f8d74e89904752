// ParameterDecoder: decodes a value from the names and values of parameters.

package struct ParameterDecoder {
    package var coding: ParameterCoding

    package init(_ coding: ParameterCoding = .standard) {
        self.coding = coding
    }

    package func decode<T: Decodable>(_ type: T.Type, from parameters: Parameters) throws -> T {
        let node = try ParameterNode(parameters, nesting: coding.nesting)
        return try Decoding(coding: coding, node: node, codingPath: []).decode(type)
    }
}

/// Decodes the value whose parameters are in `node`.
private struct Decoding: Decoder {
    let coding: ParameterCoding
    let node: ParameterNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.values.isEmpty, node.elements.isEmpty else { throw mismatch([String: Any].self, "names inside it") }
        return KeyedDecodingContainer(Keyed(decoding: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = node.array else { throw mismatch([Any].self, "an array") }
        return Unkeyed(decoding: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        Single(decoding: self)
    }

    func child(_ node: ParameterNode, _ key: some CodingKey) -> Decoding {
        Decoding(coding: coding, node: node, codingPath: codingPath + [key])
    }

    var isNil: Bool {
        guard node.isLeaf, let text = node.values.first else { return false }
        return coding.isNil(text)
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        // If a name is repeated, the first value counts, as for `Parameters[name]`.
        if let text = node.values.first, node.isLeaf, let value = try coding.value(of: type, from: text, at: codingPath)
        {
            return value
        }
        if Self.isText(type) { throw mismatch(type, "one text") }
        return try T(from: self)
    }

    /// Types that are one parameter. If they decoded themselves, they would call this method again without end.
    private static func isText(_ type: Any.Type) -> Bool {
        type is String.Type || type is Bool.Type || type is any FixedWidthInteger.Type || type is Double.Type
            || type is Float.Type
    }

    func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
        let found =
            !node.values.isEmpty
            ? "text" : !node.elements.isEmpty ? "an array" : !node.keys.isEmpty ? "names" : "nothing"
        return .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "Expected \(wanted) but found \(found)."))
    }
}

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoding: Decoding
    var codingPath: [any CodingKey] { decoding.codingPath }

    /// The names are not converted, because a type that asks for all keys is usually a dictionary, whose keys are
    /// never changed.
    var allKeys: [Key] { decoding.node.keys.compactMap { Key(stringValue: $0) } }

    private func node(_ key: Key) -> ParameterNode? {
        if let node = decoding.node[key.stringValue] { return node }
        return decoding.coding.keys == .snakeCase
            ? decoding.node[ParameterCoding.snakeCase(key.stringValue)] : nil
    }

    private func child(_ key: Key) throws -> Decoding {
        guard let node = node(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "There is no parameter of this name."))
        }
        return decoding.child(node, key)
    }

    func contains(_ key: Key) -> Bool { node(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).isNil }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        // An empty array leaves no parameter.
        if node(key) == nil, let empty = (type as? any EmptyArray.Type)?.empty as? T { return empty }
        return try child(key).decode(type)
    }

    // The protocol's default for these two types always throws, so the generic method does not cover them.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try child(key).decode(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try child(key).decode(type) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = PlainKey(stringValue: "super")
        guard let node = decoding.node[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "There is no parameter of this name."))
        }
        return decoding.child(node, key)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }
}

private struct Unkeyed: UnkeyedDecodingContainer {
    let decoding: Decoding
    let elements: [ParameterNode]
    var currentIndex = 0
    var codingPath: [any CodingKey] { decoding.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// The next element. The caller advances the index after it has decoded the element.
    private func next(_ type: Any.Type) throws -> Decoding {
        guard elements.indices.contains(currentIndex) else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: codingPath, debugDescription: "The array has \(elements.count) elements."))
        }
        return decoding.child(elements[currentIndex], PlainKey(intValue: currentIndex))
    }

    mutating func decodeNil() throws -> Bool {
        guard try next(Never.self).isNil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try next(type).decode(type)
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value = try next(type).decode(type)
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value = try next(type).decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try next([String: Any].self).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try next([Any].self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try next(Never.self)
        currentIndex += 1
        return decoder
    }
}

private struct Single: SingleValueDecodingContainer {
    let decoding: Decoding
    var codingPath: [any CodingKey] { decoding.codingPath }

    func decodeNil() -> Bool { decoding.isNil }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoding.decode(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try decoding.decode(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decoding.decode(type) }
}

private protocol EmptyArray {
    static var empty: Self { get }
}

extension Array: EmptyArray {
    fileprivate static var empty: [Element] { [] }
}

extension Set: EmptyArray {
    fileprivate static var empty: Set<Element> { [] }
}
