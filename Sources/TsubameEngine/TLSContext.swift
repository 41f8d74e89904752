// TLSContext: NIOSSL's context for one set of TLS settings, made once and only when TLS is wanted.

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import TsubameCore

final class TLSContext: Sendable {
    private let settings: ConnectionSettings.TLS
    private let made = NIOLockedValueBox<NIOSSLContext?>(nil)

    init(_ settings: ConnectionSettings.TLS) { self.settings = settings }

    /// Reading the system's roots takes milliseconds, so the first time goes to a thread that may block.
    func get(on loop: any EventLoop) -> EventLoopFuture<NIOSSLContext> {
        if let context = made.withLockedValue({ $0 }) { return loop.makeSucceededFuture(context) }
        return NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try self.make() }
    }

    private func make() throws -> NIOSSLContext {
        try made.withLockedValue { made in
            if let made { return made }
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.applicationProtocols = ["http/1.1"]
            configuration.minimumTLSVersion = .tlsv12
            switch settings.verification {
            case .full: configuration.certificateVerification = .fullVerification
            case .none: configuration.certificateVerification = .none
            }
            switch settings.roots {
            case .system:
                #if os(Linux)
                if settings.verification == .full { configuration.trustRoots = try SystemRoots.find() }
                #endif
            case .pem(let text):
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)))
            case .file(let path):
                do {
                    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
                } catch {
                    throw CallError(
                        .tls, "the certificates of tls.roots cannot be read from \(path)", phase: .securing,
                        advice: "give a file that is there and holds certificates in PEM", underlying: error)
                }
            }
            let context = try NIOSSLContext(configuration: configuration)
            made = context
            return context
        }
    }

    /// What a TLS failure means, in words, and what to do about it.
    func explain(_ error: any Error, host: String) -> CallError {
        let phase = CallError.Phase.securing
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return CallError(
                .tls, "the certificate is not for \(host)", phase: phase, advice: "check the host's name in the URL",
                underlying: error)
        }
        if case NIOSSLError.handshakeFailed(let reason) = error {
            let text = "\(reason)"
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return CallError(
                    .tls, "the certificate of \(host) is not trusted (expired, self-signed, or from an unknown issuer)",
                    phase: phase, advice: "if it is your own authority's, give it as tls.roots", underlying: error)
            }
            if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
                return CallError(
                    .tls, "the server does not speak TLS on this port", phase: phase, advice: "try http://",
                    underlying: error)
            }
            return CallError(.tls, "the TLS handshake failed: \(text)", phase: phase, underlying: error)
        }
        return CallError(.tls, "the TLS handshake failed: \(error)", phase: phase, underlying: error)
    }
}
