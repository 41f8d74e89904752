// A server that listens, until it is stopped or dropped.
#if Server
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import NIOCore

/// A server that listens. It ends with ``stop()``, or when the last reference to it is dropped; keep one as long as
/// it is needed, since the compiler may drop a variable behind its last use.
public final class RunningHTTPBin: Sendable {
    /// The host it was told to listen on.
    public let host: String

    /// The TCP port it listens on.
    public let port: Int

    /// The certificate in PEM that clients have to trust, if it speaks HTTPS and its authority is known.
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

    /// In the system's words.
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

    /// The root of the server without a slash at its end, such as `http://127.0.0.1:40123`, or with `https`.
    /// A server that listens on every address is named by its loopback address.
    public var url: String {
        let name =
            switch host {
            case "0.0.0.0", "": "127.0.0.1"
            case "::": "[::1]"
            default: host.contains(":") ? "[\(host)]" : host
            }
        return "\(tls == nil ? "http" : "https")://\(name):\(port)"
    }

    /// How many connections are open at this moment.
    public var connectionCount: Int {
        connections.count
    }

    /// Stops listening, closes every connection, also under a running answer, and returns when all are closed and no
    /// endpoint runs any more. May be called more than once, and from several tasks.
    public func stop() async {
        close()
        await waitUntilClosed()
    }

    func close() {
        listener.close(promise: nil)
        connections.closeAll()
    }

    func waitUntilClosed() async {
        // Only behind this is every connection that was accepted in the table.
        try? await listener.closeFuture.get()
        await connections.waitUntilClosed()
    }
}

#endif
