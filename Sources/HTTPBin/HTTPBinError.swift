// Why a server did not come up.
#if Server

/// Why a server could not be started.
public enum HTTPBinError: Error, Hashable, CustomStringConvertible {
    /// The port lies outside 0...65535.
    case invalidPort(Int)
    /// The address could not be listened on: in use, not this machine's, not permitted, or not resolved.
    case cannotListen(host: String, port: Int, reason: String)

    /// The certificate or the key is none, they do not belong together, or none could be made.
    case invalidIdentity(reason: String)

    public var description: String {
        switch self {
        case .invalidPort(let port):
            "\(port) is not a TCP port: it must lie in 0...65535"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host), port \(port): \(reason)"
        case .invalidIdentity(let reason):
            "no identity for HTTPS: \(reason)"
        }
    }
}

#endif
