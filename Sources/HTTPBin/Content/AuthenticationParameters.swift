// AuthenticationParameters: the parameters of credentials, such as `username="a", qop=auth, nc=00000001`.
#if Server

/// Follows RFC 9110 section 11.2, and RFC 8187 for `username*`. Values are bytes, because a name in UTF-8 is sent
/// unencoded (RFC 7616 section 4).
struct AuthenticationParameters {
    /// The scheme in lower case.
    let scheme: String
    private var values: [String: [UInt8]] = [:]

    /// - Parameter field: an Authorization field, its bytes as ISO-8859-1.
    init(_ field: String) {
        let bytes = field.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let scheme = bytes.prefix { $0 != UInt8(ascii: " ") }
        self.scheme = String(latin1: scheme).lowercased()
        var rest = bytes.dropFirst(scheme.count)
        while !rest.isEmpty {
            rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") }
            rest = rest.dropFirst(name.count)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            add(String(latin1: name).trimmed.lowercased(), Self.takeValue(&rest))
        }
    }

    subscript(name: String) -> [UInt8]? {
        values[name]
    }

    private mutating func add(_ name: String, _ value: [UInt8]) {
        guard name.hasSuffix("*") else {
            values[name] = value
            return
        }
        // The value follows `UTF-8''`; RFC 7616 knows no other charset.
        let pieces = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, String(latin1: pieces[0]).lowercased() == "utf-8" else { return }
        values[String(name.dropLast())] = PercentCoding.decode(pieces[2])
    }

    /// A quoted string, or the text before the next comma. A quoted string that does not close ends with the field.
    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else {
            var value = rest.prefix { $0 != UInt8(ascii: ",") }
            rest = rest.dropFirst(value.count)
            while value.last == UInt8(ascii: " ") || value.last == UInt8(ascii: "\t") { value.removeLast() }
            return Array(value)
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                value.append(escaped)
            } else {
                value.append(byte)
            }
        }
        return value
    }
}

#endif
