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

/// A reply of the scripted server, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        Reply needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum Reply {}

/// A request that the scripted server has received, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        ReceivedRequest needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum ReceivedRequest {}

/// The delays of the scripted server's connections, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        LinkConditions needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum LinkConditions {}

/// A server's certificate and key, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        TLSIdentity needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum TLSIdentity {}

/// A certificate authority for tests, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        TestAuthority needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum TestAuthority {}

/// The checks that a transport must pass, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        TransportContract needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum TransportContract {}
#endif
