// TLSSettings: how TLS is done.

public import TsubameCore
import TsubamePlatform
import TsubameWire

extension ConnectionSettings {
    /// How the server is checked, and what it is shown.
    public struct TLS: Sendable, Hashable {
        /// Where trust comes from.
        public enum Roots: Sendable, Hashable {
            /// The system's certificate authorities.
            case system
            /// Only these certificates, as PEM text.
            case pem(String)
            /// Only the certificates in this PEM file.
            case file(path: String)
            /// The system's and those in this PEM file, as for a company's own authority.
            case systemAnd(path: String)
        }

        /// What is checked of a server's certificate.
        public enum Verification: Sendable, Hashable {
            /// Chain, host name, and the length of the key (``TLS/minimumRSABits``).
            case full
            /// Nothing is checked: anybody can be the server. For tests. Pins and ``TLS/check`` still hold.
            case dangerouslyOff
        }

        /// Versions of TLS. Older ones than 1.2 are broken (RFC 8996), and for servers that know no better.
        public enum Version: Int, Sendable, Hashable, CaseIterable, Comparable {
            /// RFC 2246, 4346, 5246 and 8446.
            case tls10, tls11, tls12, tls13

            /// Older is less.
            public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
        }

        /// A certificate with its private key, for servers that ask for one.
        public struct Identity: Sendable, Hashable {
            enum Source: Sendable, Hashable {
                case pem(String)
                case file(path: String)
            }

            let chain: Source
            let key: Source
            let passphrase: String?

            /// A certificate and its key as text.
            /// - Parameters:
            ///   - certificate: the chain as PEM text, own certificate first.
            ///   - key: the private key as PEM text.
            ///   - passphrase: what the key is encrypted with.
            public static func pem(certificate: String, key: String, passphrase: String? = nil) -> Identity {
                Identity(chain: .pem(certificate), key: .pem(key), passphrase: passphrase)
            }

            /// The same from PEM files, which are read when the first connection is made.
            public static func files(certificate: String, key: String, passphrase: String? = nil) -> Identity {
                Identity(chain: .file(path: certificate), key: .file(path: key), passphrase: passphrase)
            }
        }

        /// Whose signatures are trusted.
        public var roots = Roots.system
        /// What is checked.
        public var verification = Verification.full
        /// The oldest version that is spoken.
        public var minimumVersion = Version.tls12
        /// The newest version that is spoken.
        public var maximumVersion = Version.tls13
        /// The shortest RSA key that a server's own certificate may have, in bits. A shorter one fails the call with
        /// ``CallError/Kind/tls``, unless ``verification`` is off. Keys of other kinds are not concerned.
        public var minimumRSABits = 2048
        /// What the client shows to servers that ask who it is.
        public var identity: Identity?
        /// Keys that a host's certificate must have, by its name or, as `*.example.com`, for all names below one. They
        /// hold whatever ``verification`` says, are compared after the handshake, and before a byte of a request is
        /// written. A key of this dictionary that is no host, and a pin that is none, fail every call
        /// (``CallError/Kind/invalidRequest``).
        public var pins: [String: PinnedKeys] = [:]
        /// Your own check, after all others have passed.
        public var check: TLSCheck?
        /// Where the secrets of every connection are written, in the format that Wireshark reads: whoever has the file
        /// can read the traffic. For debugging.
        public var keyLogFile: String?

        /// The defaults.
        public init() {}

        /// The pins for a host: by its own name first, then by the nearest name above it.
        /// - Parameter host: as an ``Origin`` has it.
        func pins(for host: String) -> PinnedKeys? {
            if pins.isEmpty { return nil }
            let named = pins.compactMap { pin in TLSHostName(pin.key).map { ($0.text, pin.value) } }
            let pins = Dictionary(named) { $0.union($1) }
            let host = DomainName.withoutRootDot(host)
            if let own = pins[host] { return own }
            var rest = host[...]
            while let dot = rest.firstIndex(of: ".") {
                rest = rest[rest.index(after: dot)...]
                if let keys = pins["*." + rest] { return keys }
            }
            return nil
        }
    }
}

/// Public keys of which a server must have one: `sha256/` and the base64 of the SHA-256 of the SubjectPublicKeyInfo (RFC
/// 7469 section 2.4), as ``ServerCertificate/publicKeyPin`` gives it; without `sha256/`, as `openssl` prints it, the same
/// is meant. It is the server's own certificate that is looked at, not those above it.
public struct PinnedKeys: Sendable, Hashable {
    let pins: Set<String>

    /// These keys, of which a server must have one.
    /// - Parameters:
    ///   - pin: the key in use.
    ///   - backup: the key to come, kept somewhere else: without one, losing the first locks every client out.
    ///   - others: more of them.
    public init(_ pin: String, backup: String, others: [String] = []) {
        pins = Set(([pin, backup] + others).map { $0.hasPrefix("sha256/") ? $0 : "sha256/" + $0 })
    }

    /// One that cannot be a pin: 32 bytes are 43 characters of base64 and one `=`.
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

/// A check of one's own on top of what TLS has verified, never instead of it.
///
/// ```swift
/// $0.tls.check = TLSCheck { host, tls in
///     guard known.contains(tls.certificate?.publicKeyPin ?? "") else { throw Unknown(host) }
/// }
/// ```
public struct TLSCheck: Sendable, Hashable {
    private let number = UniqueNumber()
    let check: @Sendable (_ host: String, _ tls: TLSInfo) throws -> Void

    /// A check by `check`.
    /// - Parameter check: throws to refuse the server, and the call fails with ``CallError/Kind/tls`` and that error as
    ///   `underlying`. It runs on an event loop, after the handshake and before a byte of a request is written, once a
    ///   connection, and must not block.
    public init(_ check: @escaping @Sendable (_ host: String, _ tls: TLSInfo) throws -> Void) { self.check = check }

    /// The same if made by the same call.
    public static func == (left: TLSCheck, right: TLSCheck) -> Bool { left.number == right.number }

    /// By the check's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ConnectionSettings.TLS.Identity: CustomStringConvertible, CustomReflectable {
    /// Where it comes from; nothing of what it holds.
    public var description: String {
        if case .file(let path) = chain { "client certificate of \(path)" } else { "client certificate" }
    }

    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["identity": description]) }
}
