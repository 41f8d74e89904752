// Unavailable: the messages for code that uses the servers of this module without the trait TestServer.

#if !TestServer
/// Stands for each value of the servers, so that the compiler names the trait where a type is named.
@dynamicCallable
@dynamicMemberLookup
public struct NeedsTestServer: Sendable {
    /// Never called.
    public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> NeedsTestServer { self }

    /// Never called.
    public subscript(dynamicMember name: String) -> NeedsTestServer { self }
}

/// A type of the servers. It has every member, so that the compiler finds no other fault than the missing trait.
@dynamicMemberLookup
public protocol TestServerType {}

extension TestServerType {
    /// Never called.
    public static subscript(dynamicMember name: String) -> NeedsTestServer { NeedsTestServer() }
}

/// The scripted server, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        ScriptedServer needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum ScriptedServer: TestServerType {}

/// The certificates of the scripted server, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        TestCertificates needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum TestCertificates: TestServerType {}

/// A reply of the scripted server, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        Reply needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum Reply: TestServerType {}

/// A request that the scripted server has received, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        ReceivedRequest needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum ReceivedRequest: TestServerType {}

/// The delays of the scripted server's connections, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        LinkConditions needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum LinkConditions: TestServerType {}

/// A server's certificate and key, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        TLSIdentity needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum TLSIdentity: TestServerType {}

/// A certificate authority for tests, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        TestAuthority needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum TestAuthority: TestServerType {}

/// The checks that a transport must pass, which needs the package's trait TestServer.
@available(
    *, unavailable,
    message: """
        TransportContract needs the package's trait TestServer: \
        .package(url: …, traits: [.defaults, "TestServer"])
        """
)
public enum TransportContract: TestServerType {}
#endif
