// UnicodeDecoders: the decoders of UTF-8, UTF-16 and UTF-32.

extension Charset {
    func decodeUTF8(_ bytes: UnsafeRawBufferPointer) -> DecodedText {
        if let text = String(validating: bytes, as: UTF8.self) {
            return DecodedText(text: text, malformedOffset: nil)
        }
        // The standard library puts U+FFFD for each maximal part of a sequence, which is WHATWG's rule.
        return DecodedText(text: String(decoding: bytes, as: UTF8.self), malformedOffset: firstMalformedUTF8(bytes))
    }

    /// The number of bytes at the end that begin an incomplete sequence.
    func incompleteTailOfUTF8(_ bytes: UnsafeRawBufferPointer) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }

    private func firstMalformedUTF8(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): offset &+= scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }

    func decodeUTF16(_ cursor: inout ByteCursor, into builder: inout TextBuilder) {
        var bigEndian = false
        switch (cursor.next(), cursor.next()) {
        case (0xFE, 0xFF): bigEndian = true
        case (0xFF, 0xFE): break
        case (nil, _): break
        case (_, nil): cursor.stepBack()
        default:
            cursor.stepBack()
            cursor.stepBack()
        }
        decodeUTF16(&cursor, bigEndian: bigEndian, into: &builder)
    }

    func decodeUTF16(_ cursor: inout ByteCursor, bigEndian: Bool, into builder: inout TextBuilder) {
        while true {
            let start = cursor.offset
            guard let first = cursor.next() else { return }
            guard let second = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
            let unit = Self.codeUnit(first, second, bigEndian: bigEndian)
            guard unit & 0xF800 == 0xD800 else {
                builder.append(unit)
                continue
            }
            guard unit < 0xDC00 else {
                builder.appendReplacement(forSequenceAt: start)
                continue
            }
            // After a lead surrogate, a half unit at the end belongs to the error. A whole unit that does not fit is
            // read again.
            guard let third = cursor.next(), let fourth = cursor.next() else {
                return builder.appendIncomplete(sequenceAt: start)
            }
            let trail = Self.codeUnit(third, fourth, bigEndian: bigEndian)
            if trail & 0xFC00 == 0xDC00 {
                builder.append(0x1_0000 + (unit & 0x3FF) << 10 + (trail & 0x3FF))
            } else {
                builder.appendReplacement(forSequenceAt: start)
                cursor.stepBack()
                cursor.stepBack()
            }
        }
    }

    private static func codeUnit(_ first: UInt8, _ second: UInt8, bigEndian: Bool) -> UInt32 {
        bigEndian ? UInt32(first) << 8 | UInt32(second) : UInt32(second) << 8 | UInt32(first)
    }

    func decodeUTF32(_ cursor: inout ByteCursor, bigEndian: Bool, into builder: inout TextBuilder) {
        while true {
            let start = cursor.offset
            guard let first = cursor.next() else { return }
            guard let second = cursor.next(), let third = cursor.next(), let fourth = cursor.next() else {
                return builder.appendIncomplete(sequenceAt: start)
            }
            let high = Self.codeUnit(first, second, bigEndian: bigEndian)
            let low = Self.codeUnit(third, fourth, bigEndian: bigEndian)
            if let scalar = Unicode.Scalar(bigEndian ? high << 16 | low : low << 16 | high) {
                builder.append(scalar.value)
            } else {
                builder.appendReplacement(forSequenceAt: start)
            }
        }
    }
}
