// PinnedKeys: the public keys of which a server must have one.

/// Public keys of which a server's own certificate must have one.
///
/// A pin is `sha256/` and the base64 of the SHA-256 of the SubjectPublicKeyInfo (RFC 7469 section 2.4).
/// ``ServerCertificate/publicKeyPin`` has this form. The prefix `sha256/`, which `openssl` does not print, may be omitted.
public struct PinnedKeys: Sendable, Hashable {
    package let pins: Set<String>

    /// Makes a set of keys of which a server must have one.
    /// - Parameters:
    ///   - pin: the key in use.
    ///   - backup: the key that will replace it, kept in another place. Without it, the loss of the first key would lock
    ///     out every client.
    ///   - others: further keys.
    public init(_ pin: String, backup: String, others: [String] = []) {
        pins = Set(([pin, backup] + others).map { $0.hasPrefix("sha256/") ? $0 : "sha256/" + $0 })
    }

    /// A malformed pin, if there is one. A pin has 32 bytes, which are 43 characters of base64 and one `=`.
    var unreadable: String? {
        pins.first { pin in
            let text = pin.dropFirst("sha256/".count)
            return text.utf8.count != 44 || text.last != "="
                || !text.dropLast().utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
                }
        }
    }

    private init(pins: Set<String>) { self.pins = pins }

    func union(_ other: PinnedKeys) -> PinnedKeys { PinnedKeys(pins: pins.union(other.pins)) }
}
