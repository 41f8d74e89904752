// CertificateRefusal: a certificate that was refused, and why.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOCore
import NIOPosix
import NIOSSL
import TsubameCore
import TsubameWire

/// NIOSSL says that a certificate is refused and not why, nor does it give the chain that the server sent. So what stands
/// in the server's own certificate is looked at first; if that is in order, one more handshake takes the whole chain and
/// goes no further. Nothing is trusted that was refused: this only finds words.
struct CertificateRefusal: Sendable {
    let error: any Error
    /// Whose certificate it is.
    let host: String
    /// The name of the settings that refused it, such as `connection.tls`.
    let settings: String
    let context: TLSContext
    private var chain: CertificateChain
    private(set) var faults: [CertificateFault] = []

    /// - Parameter certificate: the server's own.
    init(
        _ error: any Error, certificate: NIOSSLCertificate?, host: String, settings: String,
        context: TLSContext
    ) {
        self.error = error
        self.host = host
        self.settings = settings
        self.context = context
        chain = CertificateChain([certificate].compactMap { try? $0?.toDERBytes() }, isComplete: false)
    }

    /// Whether a handshake came to nothing because of the certificate.
    static func isMeant(by error: any Error) -> Bool {
        // The entry before it in BoringSSL's list of errors is the kind of fault.
        "\(error)".contains("OPENSSL_internal:CERTIFICATE_VERIFY_FAILED")
    }

    mutating func take(_ chain: [NIOSSLCertificate]) {
        self.chain = CertificateChain(chain.compactMap { try? $0.toDERBytes() }, isComplete: true)
    }

    /// Looks for the reasons. The trusted authorities are read from their files, so this goes to a thread that may block.
    func examined(on loop: any EventLoop) -> EventLoopFuture<CertificateRefusal> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
            var examined = self
            examined.faults = chain.faults(
                roots: context.authorities(), now: Int64(Date().timeIntervalSince1970))
            return examined
        }
    }

    var callError: CallError {
        let reasons = faults.isEmpty ? ["no authority that this client trusts vouches for it"] : faults.map(Self.words)
        return CallError(
            .tls, "the certificate of \(host) is not trusted: \(reasons.joined(separator: "; "))", phase: .securing,
            advice: advice, underlying: error)
    }

    private static func words(_ fault: CertificateFault) -> String {
        func quoted(_ name: String) -> String { "“\(Redaction.name(name))”" }
        func whose(_ holder: String?) -> String { holder.map { "that of its authority \(quoted($0))" } ?? "it" }
        return switch fault {
        case .unreadable: "it cannot be read"
        case .expired(let holder, let time): "\(whose(holder)) expired on \(HTTPDate.format(time))"
        case .notYetValid(let holder, let time): "\(whose(holder)) is valid from \(HTTPDate.format(time)) on"
        case .selfSigned: "it is self-signed"
        case .notForServers(let holder): "\(whose(holder)) is not for servers (its extended key usage)"
        case .notAnAuthority(let name): "\(quoted(name)), which issued a part of its chain, is no authority"
        case .tooLong(let name, let most):
            "its chain is too long: under \(quoted(name)) there may be \(most) more authorities"
        case .outOfBounds(let name, let host):
            "its authority \(quoted(name)) may not speak for \(quoted(host)) (its name constraints)"
        case .unknownAuthority(let name): "its authority \(quoted(name)) is unknown"
        case .unknownIssuer(let name):
            "its issuer \(quoted(name)) is unknown, and the server sends no certificate of it"
        case .doesNotVerify: "a signature, a key or an algorithm in its chain is not accepted"
        }
    }

    private var advice: String {
        let isOld = faults.contains {
            switch $0 {
            case .expired, .notYetValid: true
            default: false
            }
        }
        if isOld { return "check this machine's clock; otherwise the server needs a new certificate" }
        return switch faults.first {
        case .selfSigned, .unknownAuthority, nil: "if it is your own authority's, give it as \(settings).roots"
        case .unknownIssuer:
            "the server must send the certificates between its own and a root; if it is your own authority's, give it as \(settings).roots"
        default: "the server needs another certificate"
        }
    }
}

/// Takes the chain of a handshake and lets it fail.
// Confined to the loop of its connector.
final class ChainCapture: @unchecked Sendable {
    /// Whose it is: the proxy's, or the origin's.
    let isOfProxy: Bool
    private(set) var chain: [NIOSSLCertificate] = []

    init(isOfProxy: Bool) { self.isOfProxy = isOfProxy }

    func handler(_ context: NIOSSLContext, serverName: String?) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: serverName) { chain, promise in
            self.chain = chain
            promise.succeed(NIOSSLVerificationResult.failed)
        }
    }
}
