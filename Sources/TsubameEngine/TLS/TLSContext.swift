// TLSContext: NIOSSL's context for one set of TLS settings, made once and only when TLS is wanted.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import TsubameCore
import TsubameWire

final class TLSContext: Sendable {
    let settings: ConnectionSettings.TLS
    private let version: ConnectionSettings.HTTPVersionChoice
    /// An event loop takes this lock, so nothing that may block is done under it.
    private let made = NIOLockedValueBox<Made>(Made())
    /// Held while the context is made. Only threads that may block take it.
    private let making = NIOLock()

    private struct Made {
        var context: NIOSSLContext?
        var authorities: [[UInt8]: CertificateDetails]?
    }

    init(_ settings: ConnectionSettings.TLS, _ version: ConnectionSettings.HTTPVersionChoice) {
        self.settings = settings
        self.version = version
    }

    /// The other one if it is of the same settings: views of a client need not read roots and keys again.
    static func of(
        _ settings: ConnectionSettings.TLS, _ version: ConnectionSettings.HTTPVersionChoice, reusing other: TLSContext?
    ) -> TLSContext {
        if let other, other.settings == settings, other.version == version {
            other
        } else {
            TLSContext(settings, version)
        }
    }

    /// Reading the system's roots takes milliseconds, so the first time goes to a thread that may block.
    func get(on loop: any EventLoop) -> EventLoopFuture<NIOSSLContext> {
        if let context = made.withLockedValue({ $0.context }) {
            return loop.makeSucceededFuture(context)
        }
        return NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try self.make() }
    }

    private func make() throws -> NIOSSLContext {
        try making.withLock {
            if let context = made.withLockedValue({ $0.context }) { return context }
            guard settings.minimumVersion <= settings.maximumVersion else {
                throw CallError(
                    .invalidRequest, "connection.tls.minimumVersion is above connection.tls.maximumVersion",
                    phase: .securing)
            }
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.applicationProtocols = version.applicationProtocols
            configuration.minimumTLSVersion = settings.minimumVersion.value
            configuration.maximumTLSVersion = settings.maximumVersion.value
            if let suites = settings.cipherSuites {
                guard !suites.isEmpty else {
                    throw CallError(
                        .tls, "connection.tls.cipherSuites is empty", phase: .securing,
                        advice: "name a suite, or leave it nil for the usual ones")
                }
                configuration.cipherSuiteValues = suites.map { NIOTLSCipher(rawValue: $0.number) }
            }
            // A channel does not await the peer's answer to its close_notify. NIOSSL's timer for that would hold the connection.
            configuration.shutdownTimeout = .zero
            switch settings.verification {
            // `check` compares the certificate with the host. NIOSSL accepts a Common Name, and `*` anywhere in a name. It
            // compares an address with the socket's, which behind a proxy is the proxy's.
            case .full: configuration.certificateVerification = .noHostnameVerification
            case .dangerouslyOff: configuration.certificateVerification = .none
            }
            try setRoots(of: &configuration)
            if let identity = settings.identity { try show(identity, in: &configuration) }
            if let path = settings.keyLogFile?.path {
                let log = try KeyLog(path)
                configuration.keyLogCallback = { log.write($0) }
            }
            let context: NIOSSLContext
            do {
                context = try NIOSSLContext(configuration: configuration)
            } catch {
                let isIdentity = error as? NIOSSLError == .failedToLoadPrivateKey
                throw CallError(
                    .tls,
                    isIdentity
                        ? "the certificate and the private key of connection.tls.identity do not belong together"
                        : "TLS cannot be set up: \(Self.words(error))", phase: .securing, underlying: error)
            }
            made.withLockedValue { $0.context = context }
            return context
        }
    }

    /// The trusted authorities by the DER of their names, for explanations; empty where the system keeps them otherwise.
    /// Reads files: for a thread that may block.
    func authorities() -> [[UInt8]: CertificateDetails] {
        if let known = made.withLockedValue({ $0.authorities }) { return known }
        var texts: [String] = []
        func read(_ path: String?) {
            if let data = path.flatMap({ FileManager.default.contents(atPath: $0) }) {
                texts.append(String(decoding: data, as: UTF8.self))
            }
        }
        switch settings.roots {
        case .system: read(Self.systemRootsFile)
        case .pem(let text): texts.append(text)
        case .file(let path): read(path)
        case .systemAnd(let path):
            read(Self.systemRootsFile)
            read(path)
        }
        var authorities: [[UInt8]: CertificateDetails] = [:]
        for certificate in texts.flatMap(PEM.certificates).lazy.compactMap({ CertificateDetails(der: $0) }) {
            authorities[certificate.subject] = certificate
        }
        made.withLockedValue { $0.authorities = authorities }
        return authorities
    }

    private static var systemRootsFile: String? {
        #if os(Linux)
        SystemRoots.file
        #else
        nil
        #endif
    }

    private func setRoots(of configuration: inout TLSConfiguration) throws {
        switch settings.roots {
        case .system:
            #if os(Linux)
            if settings.verification == .full { configuration.trustRoots = try SystemRoots.find() }
            #endif
        case .pem(let text):
            configuration.trustRoots = .certificates(
                try roots(nil) { try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)) })
        case .file(let path):
            configuration.trustRoots = .certificates(try roots(path) { try NIOSSLCertificate.fromPEMFile(path) })
        case .systemAnd(let path):
            #if os(Linux)
            configuration.trustRoots = try SystemRoots.find()
            #endif
            configuration.additionalTrustRoots = [
                .certificates(try roots(path) { try NIOSSLCertificate.fromPEMFile(path) })
            ]
        }
    }

    private func roots(_ path: String?, _ read: () throws -> [NIOSSLCertificate]) throws(CallError)
        -> [NIOSSLCertificate]
    {
        do {
            let roots = try read()
            if !roots.isEmpty { return roots }
        } catch {
            throw Self.unreadable("the certificates of connection.tls.roots", path, error)
        }
        throw Self.unreadable("the certificates of connection.tls.roots", path, nil)
    }

    private func show(
        _ identity: ConnectionSettings.TLS.Identity, in configuration: inout TLSConfiguration
    ) throws {
        let chain: [NIOSSLCertificate]
        do {
            switch identity.chain {
            case .pem(let text): chain = try NIOSSLCertificate.fromPEMBytes(Array(text.utf8))
            case .file(let path): chain = try NIOSSLCertificate.fromPEMFile(path)
            }
        } catch {
            throw Self.unreadable("the certificate of connection.tls.identity", identity.chain.path, error)
        }
        let passphrase = identity.passphrase.map { Array($0.utf8) }
        do {
            let key: NIOSSLPrivateKey
            switch (identity.key, passphrase) {
            case (.pem(let text), let passphrase?):
                key = try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem) { $0(passphrase) }
            case (.pem(let text), nil): key = try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem)
            case (.file(let path), let passphrase?):
                key = try NIOSSLPrivateKey(file: path, format: .pem) { $0(passphrase) }
            case (.file(let path), nil): key = try NIOSSLPrivateKey(file: path, format: .pem)
            }
            configuration.certificateChain = chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(key)
        } catch {
            throw Self.unreadable(
                "the private key of connection.tls.identity", identity.key.path, error,
                orElse: identity.passphrase == nil ? ", or it is encrypted" : " that this passphrase opens")
        }
    }

    /// - Parameter other: what else may be wrong, if it is a key.
    private static func unreadable(
        _ what: String, _ path: String?, _ error: (any Error)?, orElse other: String = ""
    ) -> CallError {
        // A file that is not there is another mistake than one that holds something else.
        if let path, let reason = UnreadableFile.reason(path) {
            return CallError(
                .tls, "\(what) cannot be read from \(path): \(reason)", phase: .securing,
                advice: "check the file's path, and who may read it", underlying: error)
        }
        return CallError(
            .tls, "\(what) cannot be read\(path.map { " from \($0)" } ?? ""): there is none in PEM\(other)",
            phase: .securing,
            advice: (path == nil ? "give PEM text" : "give a file that holds it in PEM")
                + (other.isEmpty ? "" : ", and the right passphrase if it is encrypted"),
            underlying: error)
    }

    /// Whom the certificate is for, its key's length, pins and the user's own check, once the handshake has succeeded.
    /// - Parameter certificate: the server's.
    func check(_ tls: TLSInfo, _ certificate: NIOSSLCertificate?, host: String) throws(CallError) {
        if settings.verification == .full, certificate?.isFor(host) != true {
            throw CallError(
                .tls, "the certificate is \(Self.names(of: certificate)), not for \(host)", phase: .securing,
                advice: IPAddress(host) == nil
                    ? "check the host's name in the URL"
                    : "check the address in the URL, or ask for the server by its name")
        }
        if settings.verification == .full, let bits = certificate?.rsaBits, bits < settings.minimumRSABits {
            throw CallError(
                .tls,
                "the certificate of \(host) has an RSA key of \(bits) bits, and at least \(settings.minimumRSABits) are required",
                phase: .securing,
                advice: "the server needs a longer key; connection.tls.minimumRSABits allows shorter ones")
        }
        try settings.check(tls, host: host)
    }
}

extension NIOSSLCertificate {
    /// The length of its key; nil if that is no RSA key.
    fileprivate var rsaBits: Int? {
        (try? extractPublicKey().toSPKIBytes()).flatMap { RSAKeySize.bits(ofSPKI: $0) }
    }

    /// Whether the host is among its alternative names (RFC 9525, RFC 9110 section 4.3.5); its Common Name counts not.
    fileprivate func isFor(_ host: String) -> Bool {
        if let address = IPAddress(host) {
            return _subjectAlternativeNames().contains { name in
                name.nameType == .ipAddress
                    && name.contents.withUnsafeBufferPointer { $0.elementsEqual(address.bytes) }
            }
        }
        let host = HostnameVerifier(host)
        return _subjectAlternativeNames().contains { name in
            name.nameType == .dnsName && name.contents.withUnsafeBufferPointer { host.isCovered(by: $0) }
        }
    }
}

extension ConnectionSettings.TLS.Version {
    fileprivate var value: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}

extension ConnectionSettings.TLS.Identity.Source {
    fileprivate var path: String? {
        if case .file(let path) = self { path } else { nil }
    }
}
