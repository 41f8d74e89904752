// Unavailable: the messages for code that uses this module without the trait Server.

#if !Server
/// The embedded server, which needs the package's trait Server.
public struct HTTPBin: Sendable {
    /// The certificate of a server.
    public struct Identity: Sendable {
        /// Makes no certificate without the trait Server.
        public static func make() -> Identity { Identity() }
    }

    /// Needs the package's trait Server.
    @available(
        *, unavailable,
        message: "HTTPBin needs the package's trait Server: .package(url: …, traits: [.defaults, \"Server\"])"
    )
    public init(host: String = "127.0.0.1", port: Int = 0, tls: Identity? = nil, http2: Bool = true) {}

    /// Needs the package's trait Server.
    @available(
        *, unavailable,
        message: "HTTPBin needs the package's trait Server: .package(url: …, traits: [.defaults, \"Server\"])"
    )
    public static func start(host: String = "127.0.0.1", port: Int = 0, tls: Identity? = nil) async throws {}
}
#endif
