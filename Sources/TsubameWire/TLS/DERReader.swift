// DERReader: reads ASN.1 values in DER (X.690) one after the other, as far as certificates need them.

/// Reads the values of one level. The reader never reads beyond its input, even if a length in it is wrong.
struct DERReader {
    struct Value {
        let tag: UInt8
        let content: ArraySlice<UInt8>
        /// The value with its tag and length.
        let encoding: ArraySlice<UInt8>

        /// A reader of the values inside this value.
        var values: DERReader { DERReader(content) }
    }

    enum Tag {
        static let boolean: UInt8 = 0x01
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        static let bmpString: UInt8 = 0x1E
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31

        /// `[number]` around other values.
        static func constructed(_ number: UInt8) -> UInt8 { 0xA0 | number }
        /// `[number]` in place of the tag of a primitive value.
        static func primitive(_ number: UInt8) -> UInt8 { 0x80 | number }
    }

    private var rest: ArraySlice<UInt8>

    init(_ input: ArraySlice<UInt8>) { rest = input }

    /// The next value; nil at the end, and if the next bytes are not a value.
    mutating func next() -> Value? {
        let start = rest
        var input = rest
        // No certificate uses tags of more than one byte.
        guard let tag = input.popFirst(), tag & 0x1F != 0x1F, let first = input.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), input.count >= count else { return nil }
            // Four bytes may be too large for an `Int` of 32 bits.
            length = Int(clamping: input.prefix(count).reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
            input = input.dropFirst(count)
        }
        guard length <= input.count else { return nil }
        rest = input.dropFirst(length)
        return Value(tag: tag, content: input.prefix(length), encoding: start.prefix(start.count - rest.count))
    }

    /// The next value if it has this tag. Otherwise the value stays, and the result is nil.
    mutating func next(_ tag: UInt8) -> Value? {
        guard rest.first == tag else { return nil }
        return next()
    }

    /// All values up to the end, or up to the first bytes that are not a value.
    mutating func all() -> [Value] {
        var values: [Value] = []
        while let value = next() { values.append(value) }
        return values
    }
}
