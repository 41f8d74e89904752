// Unavailable: what a build without the trait Server says to code that uses this module.

#if !Server
/// The embedded server, which needs the package's trait Server.
public struct HTTPBin: Sendable {
    /// Needs the package's trait Server.
    @available(
        *, unavailable,
        message: "HTTPBin needs the package's trait Server: .package(url: …, traits: [.defaults, \"Server\"])"
    )
    public init(host: String = "127.0.0.1", port: Int = 0) {}

    /// Needs the package's trait Server.
    @available(
        *, unavailable,
        message: "HTTPBin needs the package's trait Server: .package(url: …, traits: [.defaults, \"Server\"])"
    )
    public static func start(host: String = "127.0.0.1", port: Int = 0) async throws {}
}
#endif
