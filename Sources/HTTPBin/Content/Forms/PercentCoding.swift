// PercentCoding: percent-encoding (RFC 3986 section 2.1) in the dialects that httpbin's URLs and forms need.
#if Server

enum PercentCoding {
    /// Decodes the text. A `%` that two digits do not follow stays as it is.
    static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = escapedByte(rest) {
                result.append(escaped)
                rest = rest.dropFirst(2)
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                result.append(UInt8(ascii: " "))
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// The byte that the two digits at the start of `text` stand for.
    static func escapedByte(_ text: some Collection<UInt8>) -> UInt8? {
        var digits = text.prefix(2).makeIterator()
        guard let first = digits.next().flatMap(Hexadecimal.value),
            let second = digits.next().flatMap(Hexadecimal.value)
        else { return nil }
        return first << 4 | second
    }

    /// Encodes every byte except RFC 3986's unreserved characters and the bytes in `keeping`.
    static func encode(_ bytes: some Sequence<UInt8>, keeping: StaticString) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || keeping.withUTF8Buffer({ $0.contains(byte) }) {
                result.append(byte)
            } else {
                appendEscape(of: byte, to: &result)
            }
        }
        return result
    }

    /// Decodes the bytes that can be shown. Control characters, spaces, `%`, the bytes in `keeping` and invalid UTF-8
    /// stay encoded.
    static func readable(_ text: [UInt8], keeping: StaticString) -> String {
        var result: [UInt8] = []
        var run: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let escaped = escapedByte(rest) else {
                run.append(byte)
                continue
            }
            if escaped <= 0x25 && (escaped <= 0x20 || escaped == 0x25) || escaped == 0x7F
                || keeping.withUTF8Buffer({ $0.contains(escaped) })
            {
                result.append(contentsOf: string(run).utf8)
                run = []
                result.append(byte)
                result.append(contentsOf: rest.prefix(2))
            } else {
                run.append(escaped)
            }
            rest = rest.dropFirst(2)
        }
        result.append(contentsOf: string(run).utf8)
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes as text. Bytes that are not valid UTF-8 are percent-encoded.
    static func string(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var result: [UInt8] = []
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        var position = 0
        decoding: while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar):
                result.append(contentsOf: scalar)
                position += scalar.count
            case .error(let length):
                for byte in bytes.dropFirst(position).prefix(length) { appendEscape(of: byte, to: &result) }
                position += length
            case .emptyInput:
                break decoding
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func appendEscape(of byte: UInt8, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "%"))
        result.append(Hexadecimal.uppercaseDigit(byte >> 4))
        result.append(Hexadecimal.uppercaseDigit(byte & 0xF))
    }
}

#endif
