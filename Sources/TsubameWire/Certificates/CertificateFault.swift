// CertificateFault: why a chain of certificates was refused.

/// One reason, of which a chain may have several.
package enum CertificateFault: Sendable, Hashable {
    /// Of nil: the server's own; of the authority with this name otherwise.
    package typealias Holder = String?

    case unreadable
    case expired(Holder, at: Int64)
    case notYetValid(Holder, from: Int64)
    /// Nobody but itself has issued it.
    case selfSigned
    case notForServers(Holder)
    /// What issued another one must not issue any.
    case notAnAuthority(String)
    /// An authority stands too far from the server's certificate.
    case tooLong(String, pathLength: Int)
    /// An authority issued a certificate for a host that it must not speak for.
    case outOfBounds(String, host: String)
    /// The chain ends with an authority that is its own, and is not trusted.
    case unknownAuthority(String)
    /// The chain ends before any authority that is trusted: the certificate of this issuer is not there.
    case unknownIssuer(String)
    /// Everything fits by its names: a signature, a key or an algorithm is not accepted.
    case doesNotVerify
}
