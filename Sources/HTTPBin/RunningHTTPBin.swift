// RunningHTTPBin: a server that listens until it is stopped or released.
#if Server
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import NIOCore

/// A server that listens. It ends with ``stop()``, or when its last reference is released. Keep a reference as long as
/// you need the server, because the compiler may release a variable after its last use.
public final class RunningHTTPBin: Sendable {
    /// The host on which the server listens.
    public let host: String

    /// The TCP port on which the server listens.
    public let port: Int

    /// The certificate in PEM that clients have to trust; nil without HTTPS or if the authority is not known.
    public var authority: String? { tls?.authority }

    private let tls: HTTPBin.Identity?
    private let listener: any Channel
    private let connections: ConnectionTable

    init(_ settings: HTTPBin) async throws {
        let connections = ConnectionTable()
        let context = try settings.tls.map { try TLSContext.make($0, http2: settings.http2) }
        do {
            listener = try await Listener.bind(settings, tls: context, connections: connections)
        } catch {
            throw HTTPBinError.cannotListen(host: settings.host, port: settings.port, reason: Self.words(error))
        }
        host = settings.host
        tls = settings.tls
        port = listener.localAddress?.port ?? settings.port
        self.connections = connections
    }

    /// The error as the operating system describes it.
    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE: "the port is already in use"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case SocketAddressError.unknown: "the host has no address"
        case is SocketAddressError.UnknownHost: "the host has no address"
        default: "\(error)"
        }
    }

    deinit {
        close()
    }

    /// The root of the server without a trailing slash, such as `http://127.0.0.1:40123`, or with `https`. For a server
    /// that listens on every address, the URL holds the loopback address.
    public var url: String {
        let name =
            switch host {
            case "0.0.0.0", "": "127.0.0.1"
            case "::": "[::1]"
            default: host.contains(":") ? "[\(host)]" : host
            }
        return "\(tls == nil ? "http" : "https")://\(name):\(port)"
    }

    /// The number of connections that are open now.
    public var connectionCount: Int {
        connections.count
    }

    /// Stops listening and closes every connection, even during a response. Returns when all connections are closed and
    /// no endpoint runs. May be called more than once, and from several tasks.
    public func stop() async {
        close()
        await waitUntilClosed()
    }

    func close() {
        listener.close(promise: nil)
        connections.closeAll()
    }

    func waitUntilClosed() async {
        // Only after this is every accepted connection in the table.
        try? await listener.closeFuture.get()
        await connections.waitUntilClosed()
    }
}

#endif
