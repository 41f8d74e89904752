// TLSContext: the TLS settings that all connections of a server share.
#if Server
import NIOCore
import NIOSSL

enum TLSContext {
    static func make(_ identity: HTTPBin.Identity, http2: Bool) throws -> NIOSSLContext {
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificates.utf8))
            let key = try NIOSSLPrivateKey(bytes: Array(identity.privateKey.utf8), format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = (http2 ? ["h2"] : []) + ["http/1.1"]
            // The time that a stopping server waits for the close_notify of a client that reads nothing.
            configuration.shutdownTimeout = .milliseconds(200)
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw HTTPBinError.invalidIdentity(reason: "\(error)")
        }
    }
}

#endif
