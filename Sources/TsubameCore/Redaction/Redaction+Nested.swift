// Redaction+Nested: secrets in values that are URLs or JSON themselves, and in fields that contain URLs.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Redaction {
    /// How deep one value may be inside others and still be read. A deeper value is withheld.
    private static let deepest = 4

    /// A value that is a URL or JSON, without its secrets.
    /// - Parameter keepsNumbers: whether a withheld number in JSON becomes 0, and not a text.
    /// - Returns: nil if the value is neither, or holds no secret.
    func nested(
        _ value: some Collection<UInt8>, withheld: inout [ArraySlice<UInt8>], depth: Int, keepsNumbers: Bool = false
    ) -> [UInt8]? {
        let first = value.first { $0 > 0x20 }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        guard isJSON || Self.isReference(value) else { return nil }
        let bytes = Array(value)
        guard depth < Self.deepest else {
            withheld.append(bytes[...])
            return Array(Self.placeholder.utf8)
        }
        if isJSON {
            let json = JSONRedaction(bytes[...], by: self, keepsNumbers: keepsNumbers, depth: depth + 1)
            withheld += json.withheld
            return json.output == bytes ? nil : json.output
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        // `url` also writes control characters in another form, which would change innocent texts.
        var found: [ArraySlice<UInt8>] = []
        let shown = url(text, withheld: &found, depth: depth + 1)
        withheld += found
        return found.isEmpty ? nil : Array(shown.utf8)
    }

    /// Whether the text is a URL, or a reference to one, that may hold a secret: it has userinfo or parameters.
    private static func isReference(_ value: some Collection<UInt8>) -> Bool {
        guard let slash = value.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let authority = value[slash...].drop { $0 == UInt8(ascii: "/") }.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        if authority.contains(UInt8(ascii: "@")) { return true }
        return value.contains(UInt8(ascii: "=")) && !value.contains { $0 <= 0x20 }
            && value.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }

    /// The value of a parameter that has no secret name. It may be a URL or JSON, and may be percent-encoded.
    func parameter(_ value: ArraySlice<UInt8>, withheld: inout [ArraySlice<UInt8>], depth: Int) -> [UInt8] {
        let isEncoded = value.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        guard isEncoded else { return nested(value, withheld: &withheld, depth: depth) ?? Array(value) }
        guard let shown = nested(Self.decoded(value), withheld: &withheld, depth: depth) else { return Array(value) }
        return Array(PercentEncoding.encode(shown).utf8)
    }

    /// The bytes of a name or value in a URL or a form.
    static func decoded(_ value: ArraySlice<UInt8>) -> [UInt8] {
        guard value.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return Array(value) }
        let text = String(decoding: value, as: UTF8.self)
        return Array(PercentEncoding.decodeLeniently(text, plusAsSpace: true).utf8)
    }

    /// The text of a string in JSON, with its quotes; nil if it is malformed.
    static func decoded(json string: ArraySlice<UInt8>) -> [UInt8]? {
        guard string.contains(UInt8(ascii: "\\")) else { return Array(string.dropFirst().dropLast()) }
        let list = try? JSONDecoder().decode([String].self, from: Data("[".utf8) + string + Data("]".utf8))
        return list?.first.map { Array($0.utf8) }
    }

    /// The value of a field that contains URLs, without their secrets; nil for any other field.
    /// - Parameter name: the field's name in lower case.
    func reference(_ value: String, of name: String, withheld: inout [ArraySlice<UInt8>]) -> String? {
        switch name {
        case "location", "content-location", "referer": return url(value, withheld: &withheld)
        case "link":
            // RFC 8288: `<URL>; parameters, <URL>; parameters`.
            var text = ""
            var rest = value[...]
            while let start = rest.utf8.firstIndex(of: UInt8(ascii: "<")),
                let end = rest.utf8[start...].firstIndex(of: UInt8(ascii: ">"))
            {
                let inner = rest.index(after: start)
                text += rest[..<inner] + url(rest[inner..<end], withheld: &withheld)
                rest = rest[end...]
            }
            return text + rest
        case "refresh":
            // `seconds; url=URL`
            let lower = value.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            guard let start = lower.firstRange(of: "url=".utf8)?.upperBound else { return value }
            let place = value.utf8.index(value.startIndex, offsetBy: start)
            return value[..<place] + url(value[place...], withheld: &withheld)
        default: return nil
        }
    }
}
