// HeaderParameters: a field value with parameters, such as `form-data; name="a"; filename*=UTF-8''b`.
#if Server

/// Follows RFC 9110 section 5.6.6 for parameters and RFC 8187 for `name*`. Parameters that cannot be read are skipped.
struct HeaderParameters {
    /// The text before the first semicolon, without surrounding white space.
    let value: String
    private var parameters: [String: String] = [:]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
        value = String(decoding: bytes[..<end], as: UTF8.self).trimmed
        var rest = bytes[end...]
        while let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = rest[(semicolon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            let name = rest.prefix(while: Self.isToken)
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            guard let raw = Self.takeValue(&rest) else { break }
            add(String(decoding: name, as: UTF8.self).lowercased(), raw)
        }
    }

    subscript(name: String) -> String? {
        parameters[name]
    }

    private mutating func add(_ name: String, _ raw: [UInt8]) {
        guard name.hasSuffix("*") else {
            // Browsers write a quotation mark in the name of a multipart part as %22.
            parameters[name] = String(decoding: raw, as: UTF8.self).split(
                separator: "%22", omittingEmptySubsequences: false
            )
            .joined(separator: "\"")
            return
        }
        let pieces = raw.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return }
        let decoded = PercentCoding.decode(pieces[2])
        let text =
            switch String(decoding: pieces[0], as: UTF8.self).lowercased() {
            case "utf-8", "ascii", "us-ascii": String(decoding: decoded, as: UTF8.self)
            case "iso-8859-1": String(latin1: decoded)
            default: String(decoding: pieces[2], as: UTF8.self)
            }
        parameters[String(name.dropLast())] = text
    }

    /// A token or a quoted string; nil if a quoted string does not close.
    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix(while: isToken)
            rest = rest.dropFirst(token.count)
            return Array(token)
        }
        rest = rest.dropFirst()
        var result: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return result }
            if byte == UInt8(ascii: "\\"), let next = rest.first, next == UInt8(ascii: "\"") || next == byte {
                rest = rest.dropFirst()
                result.append(next)
            } else {
                result.append(byte)
            }
        }
        return nil
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

#endif
