// Unavailable: the messages for code that uses the servers of this module without the trait TestServer.

#if !TestServer
/// The scripted server, which needs the package's trait TestServer.
public struct ScriptedServer: Sendable {
    /// Needs the package's trait TestServer.
    @available(
        *, unavailable,
        message: """
            ScriptedServer needs the package's trait TestServer: \
            .package(url: …, traits: [.defaults, "TestServer"])
            """
    )
    public static func start() async throws -> ScriptedServer { ScriptedServer() }
}
#endif
