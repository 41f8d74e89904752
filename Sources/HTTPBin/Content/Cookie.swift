// Cookie: reads and writes cookies as Werkzeug does.
#if Server

enum Cookie {
    /// The first value of each name in a Cookie field. Pairs that cannot be read are left out.
    static func parse(_ field: String) -> [(name: String, value: String)] {
        var result = Pairs()
        var rest = Array(field.utf8)[...]
        while !rest.isEmpty {
            var afterPair = rest
            if let (name, value) = takePair(&afterPair) {
                try? result.append(name, value)
                rest = afterPair
            }
            rest = rest.drop { $0 != UInt8(ascii: ";") }.dropFirst()
        }
        return result.firsts
    }

    /// One pair up to the next semicolon; nil if the text does not begin with a pair.
    private static func takePair(_ rest: inout ArraySlice<UInt8>) -> (String, String)? {
        rest = rest.drop(while: isSpace)
        let name = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: "=") && !isQuoteOrSemicolon($0) }
        rest = rest.dropFirst(name.count).drop(while: isSpace)
        var value: [UInt8] = []
        if rest.first == UInt8(ascii: "=") {
            rest = rest.dropFirst().drop(while: isSpace)
            if rest.first == UInt8(ascii: "\"") {
                guard let quoted = takeQuoted(&rest) else { return nil }
                value = quoted
            } else {
                value = Array(rest.prefix { !isSpace($0) && !isQuoteOrSemicolon($0) })
                rest = rest.dropFirst(value.count)
            }
        }
        rest = rest.drop(while: isSpace)
        guard !name.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// A quoted value, in which `\"` is a quote and `\303` a byte in octal.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return value }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            if let octal = octalByte(rest) {
                value.append(octal)
                rest = rest.dropFirst(3)
            } else if let next = rest.popFirst() {
                value.append(next)
            }
        }
        return nil
    }

    private static func octalByte(_ text: ArraySlice<UInt8>) -> UInt8? {
        let digits = text.prefix(3).map { $0 &- UInt8(ascii: "0") }
        guard digits.count == 3, digits[0] < 4, digits[1] < 8, digits[2] < 8 else { return nil }
        return digits[0] << 6 | digits[1] << 3 | digits[2]
    }

    /// The value in the form of a Set-Cookie field. It is quoted if RFC 6265 does not allow it unquoted.
    static func written(_ value: String) -> String {
        let bare = "!#$%&'()*+-./:<=>?@[]^_`{|}~".utf8
        func isBare(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || bare.contains(byte)
        }
        guard !value.utf8.allSatisfy(isBare) else { return value }
        var result = "\""
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                result += "\\" + String(Unicode.Scalar(byte))
            case ..<0x20, 0x7F..., UInt8(ascii: ","), UInt8(ascii: ";"):
                result += "\\" + [byte >> 6, byte >> 3 & 7, byte & 7].map(String.init).joined()
            default:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result + "\""
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    private static func isQuoteOrSemicolon(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ";")
    }
}

#endif
