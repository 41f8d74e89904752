// CertificateFault: a reason why a chain of certificates was refused.

/// One reason. A chain may have several.
package enum CertificateFault: Sendable, Hashable {
    /// nil stands for the server's own certificate, and a name for the authority with this name.
    package typealias Holder = String?

    case unreadable
    case expired(Holder, at: Int64)
    case notYetValid(Holder, from: Int64)
    /// The server's certificate was issued by itself only.
    case selfSigned
    case notForServers(Holder)
    /// A certificate has issued another one, but must not issue any.
    case notAnAuthority(String)
    /// An authority is too far from the server's certificate.
    case tooLong(String, pathLength: Int)
    /// An authority has issued a certificate for a host that its name constraints exclude.
    case outOfBounds(String, host: String)
    /// The chain ends with a self-issued authority that is not trusted.
    case unknownAuthority(String)
    /// The chain ends before any trusted authority, because the certificate of this issuer is missing.
    case unknownIssuer(String)
    /// All names match, but a signature, a key or an algorithm is not accepted.
    case doesNotVerify
}
