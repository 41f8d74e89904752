// TLSCheck: the caller's own check of a server after TLS has verified it.

import TsubamePlatform

/// The caller's own check of a server. It runs after TLS has verified the server, and never replaces that.
///
/// ```swift
/// $0.connection.tls.check = TLSCheck { host, tls in
///     guard known.contains(tls.certificate?.publicKeyPin ?? "") else { throw Unknown(host) }
/// }
/// ```
public struct TLSCheck: Sendable, Hashable {
    private let number = UniqueNumber()
    package let check: @Sendable (_ host: String, _ tls: TLSInfo) throws -> Void

    /// Makes a check from a closure.
    /// - Parameter check: throws to refuse the server. The call then fails with ``CallError/Kind/tls`` and that error as
    ///   `underlying`. It runs once for each connection, after the handshake and before a byte of a request is written, on
    ///   an event loop or, with URLSession, on a queue. It must not block. URLSession does not tell the version of TLS
    ///   and the protocol at that time: the version is then `TLS`.
    public init(_ check: @escaping @Sendable (_ host: String, _ tls: TLSInfo) throws -> Void) { self.check = check }

    /// Whether both come from the same call of the initialiser.
    public static func == (left: TLSCheck, right: TLSCheck) -> Bool { left.number == right.number }

    /// Hashes the identity of the check.
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
