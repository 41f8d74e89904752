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
        let bytes = Array(value)
        let inner = bytes.trimmed
        let isJSON = inner.first == UInt8(ascii: "{") || inner.first == UInt8(ascii: "[")
        guard isJSON || Self.isReference(inner) else { return nil }
        guard depth < Self.deepest else {
            withheld.append(bytes[...])
            return Array(Self.placeholder.utf8)
        }
        if isJSON {
            let json = JSONRedaction(bytes[...], by: self, keepsNumbers: keepsNumbers, depth: depth + 1)
            withheld += json.withheld
            return json.output == bytes ? nil : json.output
        }
        guard let text = String(validating: inner, as: UTF8.self) else { return nil }
        // `url` also writes control characters in another form, which would change innocent texts.
        var found: [ArraySlice<UInt8>] = []
        let shown = url(text, withheld: &found, depth: depth + 1)
        withheld += found
        return found.isEmpty ? nil : bytes[..<inner.startIndex] + Array(shown.utf8) + bytes[inner.endIndex...]
    }

    /// Whether the text is a URL, or a reference to one, that may hold a secret: it has userinfo or parameters.
    private static func isReference(_ value: ArraySlice<UInt8>) -> Bool {
        guard let slash = value.firstIndex(of: UInt8(ascii: "/")), !value.contains(where: { $0 <= 0x20 }) else {
            return false
        }
        let authority = value[slash...].drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
        if authority.contains(UInt8(ascii: "@")) { return true }
        return value.contains(UInt8(ascii: "="))
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
            // `seconds; url="URL"`, of which browsers do without all but the seconds, a delimiter and the URL.
            var rest = value.utf8[...].drop { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }.dropFirst()
            rest = rest.drop { $0 <= 0x20 }
            if rest.prefix(3).map({ $0 | 0x20 }) == Array("url".utf8) {
                let afterName = rest.dropFirst(3).drop { $0 <= 0x20 }
                if afterName.first == UInt8(ascii: "=") { rest = afterName.dropFirst().drop { $0 <= 0x20 } }
            }
            let quote = rest.first.flatMap { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") ? $0 : nil }
            if quote != nil { rest = rest.dropFirst() }
            let end = quote.flatMap { rest.firstIndex(of: $0) } ?? rest.endIndex
            return value[..<rest.startIndex] + url(value[rest.startIndex..<end], withheld: &withheld) + value[end...]
        default: return nil
        }
    }
}

extension [UInt8] {
    /// The bytes without white space at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let start = firstIndex { $0 > 0x20 } ?? endIndex
        return self[start..<(lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start)]
    }
}
