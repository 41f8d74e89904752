// What a server of HTTPS proves itself with.
#if Server

extension HTTPBin {
    /// The certificate and the key of a server that speaks HTTPS, and the authority that clients have to trust.
    /// ```swift
    /// let identity = try HTTPBin.Identity.make()
    /// let server = try await HTTPBin(tls: identity).start()       // https://127.0.0.1:40123
    /// try identity.authority?.write(toFile: "ca.pem", atomically: true, encoding: .utf8)
    /// ```
    public struct Identity: Sendable, Hashable {
        /// The server's certificate in PEM, and behind it those between it and the authority, if there are any.
        public let certificates: String

        /// The server's private key in PEM.
        public let privateKey: String

        /// The certificate of the authority in PEM, for clients to trust. `GET /authority.pem` gives it too.
        public let authority: String?

        /// The names that a certificate is made for by default: those by which a machine calls itself.
        public static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

        /// Takes an identity that exists. Whether it is one is known when the server starts.
        public init(certificates: String, privateKey: String, authority: String? = nil) {
            self.certificates = certificates
            self.privateKey = privateKey
            self.authority = authority
        }

        /// Makes an authority and a certificate signed by it, both with keys on P-256 and valid for a day. The key of
        /// the authority is thrown away, so that it never signs anything else.
        ///
        /// - Parameter names: host names and IP addresses that the certificate is for.
        /// - Throws: ``HTTPBinError/invalidIdentity(reason:)`` if one of the names cannot stand in a certificate.
        public static func make(for names: [String] = loopbackNames) throws -> Identity {
            do {
                return try CertificateMaker().identity(for: names)
            } catch {
                throw HTTPBinError.invalidIdentity(reason: "\(error)")
            }
        }
    }
}

#endif
