// CacheIdentity: on whose behalf a request is made, as far as its fields tell.

package import HTTPTypes
package import TsubameCore

/// What must be the same in a request and in the one that a stored response answered, whatever Vary says: the
/// credentials, the cookies, which are credentials more often than not, a Host that was set by hand, and the settings that
/// decide whom the client talks to, and as whom. The content of a QUERY is part of it too.
///
/// Credentials are kept as a digest: a cache on disk must not give them away.
package struct CacheIdentity: Sendable, Hashable {
    /// By canonical name.
    package let values: [String: String]
    /// Whether each request of the same user has other credentials: what is stored would never be found again.
    package let changesEachTime: Bool

    /// A request without anything of the kind.
    package static let nobody = CacheIdentity(values: [:], changesEachTime: false)

    private init(values: [String: String], changesEachTime: Bool) {
        self.values = values
        self.changesEachTime = changesEachTime
    }

    /// - Parameters:
    ///   - content: of a QUERY, which says what is asked for.
    ///   - settings: of the client, as far as they decide who answers; empty for those that all clients have.
    ///   - authority: what the Host field is unless it is set by hand.
    ///   - isSecret: whether a field holds credentials by its canonical name.
    package init(
        _ fields: HTTPFields, content: Bytes? = nil, settings: String = "", authority: String,
        isSecret: (String) -> Bool
    ) {
        // No field has such names.
        var values: [String: String] = settings.isEmpty ? [:] : ["/settings": settings]
        if let content { values["/content"] = Self.digest(content, fields) }
        var changesEachTime = false
        for field in fields {
            let name = field.name.canonicalName
            switch name {
            case "accept", "accept-encoding", "accept-language", "user-agent", "cache-control": continue
            case "cookie": values[name] = Self.digest((values[name] ?? "") + field.value)
            case "host":
                if field.value.lowercasedASCII != authority { values[name] = field.value.lowercasedASCII }
            case "authorization":
                if String(field.value.prefix(7)).lowercasedASCII == "digest " { changesEachTime = true }
                values[name] = Self.digest(field.value)
            default:
                if isSecret(name) { values[name] = Self.digest((values[name] ?? "") + field.value) }
            }
        }
        self.values = values
        self.changesEachTime = changesEachTime
    }

    static func digest(_ value: String) -> String { text(SHA256.digest(Array(value.utf8))) }

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
