// HTTPBin.Identity: the certificate and the key of an HTTPS server.
#if Server

extension HTTPBin {
    /// The certificate and the key of an HTTPS server, and the authority that clients have to trust.
    /// ```swift
    /// let identity = try HTTPBin.Identity.make()
    /// let server = try await HTTPBin(tls: identity).start()       // https://127.0.0.1:40123
    /// try identity.authority?.write(toFile: "ca.pem", atomically: true, encoding: .utf8)
    /// ```
    public struct Identity: Sendable, Hashable {
        /// The server's certificate in PEM, followed by the intermediate certificates, if any.
        public let certificates: String

        /// The server's private key in PEM.
        public let privateKey: String

        /// The certificate of the authority in PEM, for clients to trust. `GET /authority.pem` gives it too.
        public let authority: String?

        /// The default names of a certificate: the names and addresses of the loopback interface.
        public static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

        private static let day = 24.0 * 60 * 60

        /// Takes an existing identity. The server checks it when it starts.
        public init(certificates: String, privateKey: String, authority: String? = nil) {
            self.certificates = certificates
            self.privateKey = privateKey
            self.authority = authority
        }

        /// Makes an authority and a certificate that it signs, both with P-256 keys and valid for one day. The
        /// authority's key is discarded, so that it never signs another certificate.
        ///
        /// - Parameter names: the host names and IP addresses of the certificate.
        /// - Throws: ``HTTPBinError/invalidIdentity(reason:)`` if a certificate cannot hold one of the names.
        public static func make(for names: [String] = loopbackNames) throws -> Identity {
            do {
                // Set back, so that the certificate is valid for a client whose clock is a little late.
                let maker = try CertificateMaker(lifetime: -60...day)
                let issued = try maker.certificate(
                    for: names, usage: .server, from: .seconds(-60), until: .seconds(day - 60))
                return Identity(
                    certificates: issued.certificate, privateKey: issued.privateKey, authority: try maker.authorityPEM)
            } catch {
                throw HTTPBinError.invalidIdentity(reason: "\(error)")
            }
        }
    }
}

#endif
