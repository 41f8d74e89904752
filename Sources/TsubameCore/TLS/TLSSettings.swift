// TLSSettings: the settings of TLS with origins or with a proxy.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ConnectionSettings {
    /// How a client checks servers, and how it identifies itself to them.
    public struct TLS: Sendable, Hashable {
        /// The source of the trusted certificate authorities.
        public enum Roots: Sendable, Hashable {
            /// The system's certificate authorities.
            case system
            /// Only these certificates, as PEM text.
            case pem(String)
            /// Only the certificates in this PEM file.
            case file(String)
            /// The system's certificate authorities and those in this PEM file, such as a company's own.
            case systemAnd(file: String)

            /// Only the certificates in the PEM file at this file URL.
            public static func file(_ url: URL) -> Roots { .file(url.fileText) }

            /// The system's certificate authorities and those in the PEM file at this file URL.
            public static func systemAnd(file url: URL) -> Roots { .systemAnd(file: url.fileText) }
        }

        /// The checks of a server's certificate.
        public enum Verification: Sendable, Hashable {
            /// Chain, host name, and the length of the key (``TLS/minimumRSABits``).
            case full
            /// No check, for tests: any program can then pose as the server. Pins and ``TLS/check`` still hold.
            case dangerouslyOff
        }

        /// Versions of TLS. Versions before 1.2 are broken (RFC 8996), and only for servers that support no other.
        public enum Version: Int, Sendable, Hashable, CaseIterable, Comparable {
            /// RFC 2246, 4346, 5246 and 8446.
            case tls10, tls11, tls12, tls13

            /// An older version is less.
            public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
        }

        /// A certificate with its private key, for servers that ask for a client certificate.
        public struct Identity: Sendable, Hashable {
            package enum Source: Sendable, Hashable {
                case pem(String)
                case file(path: String)
            }

            package let chain: Source
            package let key: Source
            package let passphrase: String?

            /// A certificate and its key as text.
            /// - Parameters:
            ///   - certificate: the chain as PEM text, beginning with the client's own certificate.
            ///   - key: the private key as PEM text.
            ///   - passphrase: the passphrase of an encrypted key.
            public static func pem(certificate: String, key: String, passphrase: String? = nil) -> Identity {
                Identity(chain: .pem(certificate), key: .pem(key), passphrase: passphrase)
            }

            /// A certificate and its key from PEM files, which are read when the first connection is made.
            public static func files(certificate: String, key: String, passphrase: String? = nil) -> Identity {
                Identity(chain: .file(path: certificate), key: .file(path: key), passphrase: passphrase)
            }

            /// A certificate and its key from the PEM files at these file URLs.
            public static func files(certificate: URL, key: URL, passphrase: String? = nil) -> Identity {
                .files(certificate: certificate.fileText, key: key.fileText, passphrase: passphrase)
            }
        }

        /// The certificate authorities that are trusted; those of the system by default.
        public var roots = Roots.system
        /// The checks of a server's certificate; all of them by default.
        public var verification = Verification.full
        /// The oldest version that is used; TLS 1.2 by default.
        public var minimumVersion = Version.tls12
        /// The newest version that is used; TLS 1.3 by default.
        public var maximumVersion = Version.tls13
        /// The cipher suites that are offered for versions up to 1.2, the preferred one first. If it is nil, the TLS
        /// library's own choice is offered. An empty list fails each call over TLS with ``CallError/Kind/tls``. TLS 1.3
        /// has suites of its own, which are always offered.
        public var cipherSuites: [CipherSuite]?
        /// The shortest RSA key that a server's own certificate may have, in bits; 2048 by default. A shorter one fails the call with
        /// ``CallError/Kind/tls``, unless ``verification`` is off. Keys of other kinds are not checked.
        public var minimumRSABits = 2048
        /// The client certificate for servers that ask for one.
        public var identity: Identity?
        /// The public keys of which a host's certificate must have one, by host name. `*.example.com` stands for all names
        /// below `example.com`.
        ///
        /// Pins hold even if ``verification`` is off. They are compared after the handshake, before a byte of a request is
        /// written. A name that is no host and a malformed pin fail every call with ``CallError/Kind/invalidRequest``.
        public var pins: [String: PinnedKeys] = [:]
        /// Your own check. It runs after all other checks have passed.
        public var check: TLSCheck?
        /// A file for the secrets of every connection, in the format that Wireshark reads. For debugging: with this
        /// file, the traffic can be decrypted. It may be a named pipe that a program reads; lines that do not fit are lost.
        public var keyLogFile: FileLocation?

        /// The defaults.
        public init() {}

        /// Checks the pins, and asks the user's own check, once the handshake has succeeded.
        package func check(_ tls: TLSInfo, host: String) throws(CallError) {
            if let keys = pins(for: host) {
                let pin = tls.certificate?.publicKeyPin ?? ""
                guard !pin.isEmpty, keys.pins.contains(pin) else {
                    throw CallError(
                        .tls, "\(host) has the key \(pin.isEmpty ? "of no certificate" : pin), which is not pinned",
                        phase: .securing,
                        advice: "if the server's key was changed on purpose, add its pin to connection.tls.pins")
                }
            }
            do {
                try check?.check(host, tls)
            } catch {
                throw CallError(
                    .tls, "connection.tls.check refused \(host): \(error)", phase: .securing, underlying: error)
            }
        }

        /// The pins for a host: those of its own name, otherwise those of the nearest name above it.
        /// - Parameter host: a host in the form of ``Origin/host``.
        package func pins(for host: String) -> PinnedKeys? {
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

extension ConnectionSettings.TLS.Identity: CustomStringConvertible, CustomReflectable {
    /// The path of the certificate file, if there is one, and no content.
    public var description: String {
        if case .file(let path) = chain { "client certificate of \(path)" } else { "client certificate" }
    }

    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["identity": description]) }
}
