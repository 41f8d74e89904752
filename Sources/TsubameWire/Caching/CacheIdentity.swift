// CacheIdentity: on whose behalf a request is made.

package import HTTPTypes
package import TsubameCore

/// What must be the same in a request and in the one that a stored response answered, without regard to Vary: the
/// credentials, the cookie jar, a Host or Cookie that was set by hand, the content of a QUERY, and the settings by which
/// connections are made.
///
/// The cookies of a jar change with each session, so the jar counts and not its cookies. A response that differs by them
/// says so by `Vary: Cookie`. Credentials are kept as a digest: a cache on disk must not give them away.
package struct CacheIdentity: Sendable, Hashable {
    /// By canonical name.
    package let values: [String: String]
    /// Whether each request of the same user has other credentials: what is stored would never be found again.
    package let changesEachTime: Bool

    /// Whose jar the client has; nil for a client without one.
    package var jar: String?
    /// Whether the request has cookies of that jar.
    package let hasJarCookies: Bool

    /// - Parameters:
    ///   - content: of a QUERY, which says what is asked for.
    ///   - settings: by which the client makes connections; empty for those that all clients have.
    ///   - jar: whose jar the client has; nil for none.
    ///   - endsWithJarCookies: whether the last Cookie field is the jar's. All others were set by hand.
    ///   - authority: what the Host field is unless it is set by hand.
    ///   - isSecret: whether a field holds credentials by its canonical name.
    package init(
        _ fields: HTTPFields, content: Bytes? = nil, settings: String = "", jar: String? = nil,
        endsWithJarCookies: Bool = false, authority: String, isSecret: (String) -> Bool
    ) {
        // No field has such names.
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
                if isSecret(name) { values[name] = Self.digest((values[name] ?? "") + field.value) }
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

    /// Of content, with the fields that say what it is: Content-Type, Content-Encoding and their kind.
    private static func digest(_ content: Bytes, _ fields: HTTPFields) -> String {
        var running = SHA256.Running()
        for field in fields where field.name.canonicalName.hasPrefix("content-") {
            // No field holds a line end, so no two sets of fields are the same text.
            Array("\(field.name.canonicalName):\(field.value)\n".utf8).withUnsafeBytes { running.update($0) }
        }
        content.withUnsafeBytes { running.update($0) }
        return text(running.finish())
    }

    private static func text(_ digest: [UInt8]) -> String { "sha256:" + Hexadecimal.text(digest.prefix(16)) }
}
