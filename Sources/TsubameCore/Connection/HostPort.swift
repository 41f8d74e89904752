// HostPort: a host and a port to connect to.

/// A host and a port to connect to.
package struct HostPort: Sendable, Hashable {
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }
}
