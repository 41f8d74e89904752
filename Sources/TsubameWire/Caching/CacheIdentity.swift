// CacheIdentity: the credentials, cookie jar and settings that a request and a stored response must share.

package import HTTPTypes
package import TsubameCore

/// The parts of a request that must equal those of a stored response's request, regardless of Vary. They are the
/// credentials, the cookie jar, a manual Host or Cookie field, the content of a QUERY, and the connection settings.
///
/// The cookies of a jar change with each session, so the identity holds the jar and not its cookies. A response that
/// depends on them says so by `Vary: Cookie`. Credentials are stored as a digest, because a cache on disk must not
/// reveal them.
package struct CacheIdentity: Sendable, Hashable {
    /// The digests and values, by canonical field name.
    package let values: [String: String]
    /// Whether the user's credentials differ with each request. A stored response would then never be found again.
    package let changesEachTime: Bool

    /// The owner of the client's cookie jar; nil for a client without a jar.
    package var jar: String?
    /// Whether the request carries cookies of that jar.
    package let hasJarCookies: Bool

    /// - Parameters:
    ///   - content: the content of a QUERY, which is part of the question.
    ///   - settings: the client's connection settings; empty for the defaults.
    ///   - jar: the owner of the client's cookie jar; nil for a client without a jar.
    ///   - endsWithJarCookies: whether the last Cookie field is the jar's. All other Cookie fields were set by hand.
    ///   - authority: the value of a Host field that was not set by hand.
    ///   - isSecret: whether a field holds credentials.
    package init(
        _ fields: HTTPFields, content: Bytes? = nil, settings: String = "", jar: String? = nil,
        endsWithJarCookies: Bool = false, authority: String, isSecret: (HTTPField.Name) -> Bool
    ) {
        // No field name has a slash, so these keys cannot collide with fields.
        var values: [String: String] = settings.isEmpty ? [:] : ["/settings": settings]
        if let content { values["/content"] = Self.digest(content, fields) }
        var changesEachTime = false
        var cookies: [String] = []
        for field in fields {
            let name = field.name.canonicalName
            switch name {
            case "accept", "accept-encoding", "accept-language", "user-agent", "cache-control": continue
            case "cookie": cookies.append(field.value)
            case "host":
                if field.value.lowercasedASCII != authority { values[name] = field.value.lowercasedASCII }
            case "authorization":
                if String(field.value.prefix(7)).lowercasedASCII == "digest " { changesEachTime = true }
                values[name] = Self.digest(field.value)
            default:
                if isSecret(field.name) { values[name] = Self.digest((values[name] ?? "") + field.value) }
            }
        }
        if endsWithJarCookies { _ = cookies.popLast() }
        if !cookies.isEmpty { values["cookie"] = Self.digest(cookies.joined(separator: "; ")) }
        self.values = values
        self.changesEachTime = changesEachTime
        self.jar = jar
        hasJarCookies = endsWithJarCookies
    }

    package static func digest(_ value: String) -> String { text(SHA256.digest(Array(value.utf8))) }

    /// The digest of content and of the fields that describe it, such as Content-Type and Content-Encoding.
    private static func digest(_ content: Bytes, _ fields: HTTPFields) -> String {
        var running = SHA256.Running()
        for field in fields where field.name.canonicalName.hasPrefix("content-") {
            // A field value holds no line end, so different sets of fields give different texts.
            Array("\(field.name.canonicalName):\(field.value)\n".utf8).withUnsafeBytes { running.update($0) }
        }
        content.withUnsafeBytes { running.update($0) }
        return text(running.finish())
    }

    private static func text(_ digest: [UInt8]) -> String { "sha256:" + Hexadecimal.text(digest.prefix(16)) }
}
