// HTTPBinError: the reasons why a server cannot start.
#if Server

/// The reason why a server could not start.
public enum HTTPBinError: Error, Hashable, CustomStringConvertible {
    /// The port lies outside 0...65535.
    case invalidPort(Int)
    /// The server cannot listen on the address. The address is in use, not local, not permitted or cannot be resolved.
    case cannotListen(host: String, port: Int, reason: String)

    /// The certificate or the key is invalid, they do not belong together, or a certificate could not be made.
    case invalidIdentity(reason: String)

    public var description: String {
        switch self {
        case .invalidPort(let port):
            "\(port) is not a TCP port: it must lie in 0...65535"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host), port \(port): \(reason)"
        case .invalidIdentity(let reason):
            "cannot use the identity for HTTPS: \(reason)"
        }
    }
}

#endif
