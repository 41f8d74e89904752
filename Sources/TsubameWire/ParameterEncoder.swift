// An Encoder whose output is names and values in the order in which they are encoded.

package struct ParameterEncoder {
    package var encoding: ParameterEncoding

    package init(encoding: ParameterEncoding = .standard) {
        self.encoding = encoding
    }

    package func encode(_ value: some Encodable) throws -> [Parameters.Element] {
        let output = Output(encoding: encoding)
        try output.write(value, name: nil, codingPath: [])
        if let failure = output.failure { throw failure }
        return output.elements
    }
}

private final class Output {
    let encoding: ParameterEncoding
    var elements: [Parameters.Element] = []
    /// Set where the protocol lets nothing be thrown.
    var failure: EncodingError?

    init(encoding: ParameterEncoding) {
        self.encoding = encoding
    }

    func write(_ value: some Encodable, name: String?, codingPath: [any CodingKey]) throws {
        if let text = try encoding.text(of: value, at: codingPath) {
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
        .invalidValue(value, .init(codingPath: [], debugDescription: "\(reason) Parameters need names at the top."))
    }
}

/// `name` is that of the value being encoded; nil at the top.
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

    func child(_ key: some CodingKey) -> Encoding {
        Encoding(
            output: output, name: output.encoding.name(of: key.stringValue, in: name), codingPath: codingPath + [key])
    }

    func element(at index: Int) -> Encoding {
        Encoding(
            output: output, name: output.encoding.elementName(in: name ?? ""),
            codingPath: codingPath + [PlainKey(intValue: index)])
    }

    func write(_ value: some Encodable) throws {
        try output.write(value, name: name, codingPath: codingPath)
    }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: Encoding
    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil(forKey key: Key) {}

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoding.child(key).write(value)
    }

    // The generic method stands for every type but these two, for which the protocol brings a refusal of its own.
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

    mutating func encodeNil() {
        count += 1
    }

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

    func encodeNil() {}

    func encode<T: Encodable>(_ value: T) throws {
        try encoding.write(value)
    }

    func encode(_ value: Int128) throws { try encoding.write(value) }
    func encode(_ value: UInt128) throws { try encoding.write(value) }
}

/// A key that comes from no type: a dictionary's, an index, `super`.
private struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// A dictionary has no order of its own and another at each start of the process; sorted, what is sent can be
/// compared, signed and cached.
private protocol StringKeyed {
    func encodeSorted(to encoder: Encoding) throws
}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {
    fileprivate func encodeSorted(to encoder: Encoding) throws {
        for (key, value) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            try encoder.child(PlainKey(stringValue: key)).write(value)
        }
    }
}
