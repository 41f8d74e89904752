// CipherSuite: the algorithms of a TLS connection, by their registered names.

extension ConnectionSettings.TLS {
    /// The algorithms that a connection of TLS 1.2 or older uses, one of ``all``.
    public struct CipherSuite: Sendable, Hashable, CustomStringConvertible {
        /// The registered number (RFC 5246 section A.5).
        public let number: UInt16
        /// The registered name, such as `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`.
        public let name: String
        /// The name in OpenSSL, such as `ECDHE-RSA-AES128-GCM-SHA256`.
        public let openSSLName: String

        private init(_ number: UInt16, _ name: String, _ openSSLName: String) {
            (self.number, self.name, self.openSSLName) = (number, name, openSSLName)
        }

        /// The suite of a registered name or of OpenSSL's name, in either case; nil if there is none.
        public init?(_ name: String) {
            let name = name.uppercased()
            guard let suite = Self.all.first(where: { $0.name == name || $0.openSSLName == name }) else { return nil }
            self = suite
        }

        /// The same as ``name``.
        public var description: String { name }

        /// All suites that can be chosen, the preferable ones first. Those without forward secrecy come last.
        public static let all: [CipherSuite] = [
            CipherSuite(0xC02B, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
            CipherSuite(0xC02F, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"),
            CipherSuite(0xC02C, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"),
            CipherSuite(0xC030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"),
            CipherSuite(0xCCA9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"),
            CipherSuite(0xCCA8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"),
            CipherSuite(0xC009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"),
            CipherSuite(0xC013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"),
            CipherSuite(0xC00A, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"),
            CipherSuite(0xC014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"),
            CipherSuite(0x009C, "TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"),
            CipherSuite(0x009D, "TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"),
            CipherSuite(0x002F, "TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"),
            CipherSuite(0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"),
        ]
    }
}
