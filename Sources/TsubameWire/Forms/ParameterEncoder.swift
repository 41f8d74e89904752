// ParameterEncoder: encodes a value as names and values, in the order in which it encodes its properties.

package struct ParameterEncoder {
    package var coding: ParameterCoding

    package init(_ coding: ParameterCoding = .standard) {
        self.coding = coding
    }

    package func encode(_ value: some Encodable) throws -> [Parameters.Element] {
        let output = Output(coding)
        try output.write(value, name: nil, codingPath: [])
        if let failure = output.failure { throw failure }
        return output.elements
    }
}

private final class Output {
    let coding: ParameterCoding
    var elements: [Parameters.Element] = []
    /// An error from a method that the protocol does not let throw.
    var failure: EncodingError?

    init(_ coding: ParameterCoding) {
        self.coding = coding
    }

    func write(_ value: some Encodable, name: String?, codingPath: [any CodingKey]) throws {
        if let text = try coding.text(of: value, at: codingPath) {
            guard let name else { throw Self.nameless(value, "A single value has no name.") }
            elements.append(Parameters.Element(name: name, value: text))
            return
        }
        let encoder = Encoding(output: self, name: name, codingPath: codingPath)
        if let dictionary = value as? any StringKeyed {
            try dictionary.encodeSorted(to: encoder)
        } else {
            try value.encode(to: encoder)
        }
    }

    static func nameless(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: [], debugDescription: "\(reason) Parameters need top-level names."))
    }
}

/// Encodes the value whose parameter has this `name`; nil at the top level.
private struct Encoding: Encoder {
    let output: Output
    let name: String?
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if name == nil, output.failure == nil {
            output.failure = Output.nameless([Any](), "The elements of an array have no names.")
        }
        return Unkeyed(encoding: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(encoding: self)
    }

    func child(_ key: some CodingKey, isProperty: Bool = true) -> Encoding {
        let name = output.coding.name(of: key.stringValue, in: name, isProperty: isProperty)
        return Encoding(output: output, name: name, codingPath: codingPath + [key])
    }

    func element(at index: Int) -> Encoding {
        Encoding(
            output: output, name: output.coding.elementName(in: name ?? "", at: index),
            codingPath: codingPath + [PlainKey(intValue: index)])
    }

    func write(_ value: some Encodable) throws {
        try output.write(value, name: name, codingPath: codingPath)
    }

    func writeNil() {
        if let name, let text = output.coding.textOfNil {
            output.elements.append(Parameters.Element(name: name, value: text))
        }
    }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: Encoding
    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil(forKey key: Key) { encoding.child(key).writeNil() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoding.child(key).write(value)
    }

    // A synthesized `encode(to:)` calls these methods for optionals. The protocol's defaults would skip nil.
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOptional(value, key) }

    private func encodeOptional(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try encoding.child(key).write(value) } else { encoding.child(key).writeNil() }
    }

    // The protocol's default for these two types always throws, so the generic method does not cover them.
    func encode(_ value: Int128, forKey key: Key) throws { try encoding.child(key).write(value) }
    func encode(_ value: UInt128, forKey key: Key) throws { try encoding.child(key).write(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoding.child(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoding.child(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoding.child(PlainKey(stringValue: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoding.child(key)
    }
}

private struct Unkeyed: UnkeyedEncodingContainer {
    let encoding: Encoding
    var count = 0
    var codingPath: [any CodingKey] { encoding.codingPath }

    private mutating func next() -> Encoding {
        defer { count += 1 }
        return encoding.element(at: count)
    }

    mutating func encodeNil() { next().writeNil() }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try next().write(value)
    }

    mutating func encode(_ value: Int128) throws { try next().write(value) }
    mutating func encode(_ value: UInt128) throws { try next().write(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        next().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        next().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        next()
    }
}

private struct Single: SingleValueEncodingContainer {
    let encoding: Encoding
    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil() { encoding.writeNil() }

    func encode<T: Encodable>(_ value: T) throws {
        try encoding.write(value)
    }

    func encode(_ value: Int128) throws { try encoding.write(value) }
    func encode(_ value: UInt128) throws { try encoding.write(value) }
}

/// A dictionary has a different order in each process. Its keys are sorted, so that requests can be compared, signed
/// and cached.
private protocol StringKeyed {
    func encodeSorted(to encoder: Encoding) throws
}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {
    fileprivate func encodeSorted(to encoder: Encoding) throws {
        for (key, value) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            try encoder.child(PlainKey(stringValue: key), isProperty: false).write(value)
        }
    }
}
