// Redaction: what no description, log, HAR or cURL line shows.

public import HTTPTypes

/// Which fields and query values are withheld from every text.
public struct Redaction: Sendable, Hashable {
    /// Names of query and form parameters, in lower case, whose values are withheld; a parameter is secret if its name
    /// contains one.
    public var secrets: Set<String> = ["token", "key", "password", "secret", "signature", "code"]

    public static let standard = Redaction()

    public init() {}

    /// What stands in place of a secret.
    public static let placeholder = "[redacted]"

    private static let fields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "authentication-info",
    ]

    /// Fields that hold a URL.
    private static let references: Set<String> = ["location", "content-location", "referer"]

    /// The value of the field, or the placeholder.
    public func value(of field: HTTPField) -> String {
        let name = field.name.canonicalName
        if Self.fields.contains(name) || isSecret(name) { return Self.placeholder }
        return Self.references.contains(name) ? url(field.value) : field.value
    }

    /// Whether a parameter of that name is withheld.
    public func isSecret(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return secrets.contains { name.contains($0) }
    }

    /// The URL without userinfo and with the values of secret parameters withheld, control characters escaped.
    public func url(_ url: some StringProtocol) -> String {
        var text = ""
        var rest = Substring(url)
        // Userinfo: what stands between `//` and the last `@` of the authority; without `//`, what looks like it.
        let slashes = rest.range(ofSlashes: ())
        if let slashes {
            text += rest[..<slashes]
            rest = rest[slashes...]
        }
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        if let at = rest[..<end].lastIndex(of: "@"), slashes != nil || rest[..<at].contains(":") {
            rest = rest[rest.index(after: at)...]
        }
        // Query and fragment: tokens travel in both.
        while let mark = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) {
            let afterMark = rest.index(after: mark)
            let end = rest[afterMark...].firstIndex(of: "#") ?? rest.endIndex
            text += rest[..<afterMark]
            text += rest[afterMark..<end].split(separator: "&", omittingEmptySubsequences: false)
                .map { piece in
                    guard let equals = piece.firstIndex(of: "=") else { return String(piece) }
                    return isSecret(piece[..<equals])
                        ? piece[...equals] + Self.placeholder : String(piece)
                }
                .joined(separator: "&")
            rest = rest[end...]
        }
        return Self.printable(text + rest)
    }

    /// Control characters as `\u{…}`, so that no text can forge a line of a log.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.value < 0x20 || scalar.value == 0x7F {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Substring {
    /// The index behind the first `//`.
    fileprivate func range(ofSlashes: Void) -> Index? {
        var previous: Character?
        for index in indices {
            if self[index] == "/", previous == "/" { return self.index(after: index) }
            previous = self[index]
        }
        return nil
    }
}
