// Engine: the transport that speaks HTTP/1.1 and HTTP/2 over TCP and TLS, on sockets of the library's own.

import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
public import TsubameCore
package import TsubameSockets

/// Does exchanges over real connections, on a few event loops that all clients of the process share.
///
/// An origin has a home loop; a call that already runs on a loop stays on that one, any other goes to the home loop.
/// See Documentation/design/engine.md.
public final class Engine: CountedTransport {
    let loops: EventLoopPools
    private let settings: SharedSettings

    /// An engine with a pool of its own.
    /// - Parameter settings: how connections are made.
    public convenience init(settings: ConnectionSettings = ConnectionSettings()) {
        self.init(loops: EventLoopPools(), settings: SharedSettings(settings, reusing: nil))
    }

    private init(loops: EventLoopPools, settings: SharedSettings) {
        self.loops = loops
        self.settings = settings
    }

    /// The same loops and pool; connections are shared only where the settings are equal.
    public func with(settings: ConnectionSettings) -> Engine {
        settings == self.settings.settings
            ? self : Engine(loops: loops, settings: SharedSettings(settings, reusing: self.settings))
    }

    /// The name in `print(client.chain)`.
    public var name: String { "Engine (HTTP/1.1, HTTP/2)" }

    /// Runs tasks on the engine's event loops: see `Client.executor`.
    public var executor: any TaskExecutor { loops.current.executor }

    /// Does one exchange over a connection of the pool, with the deadlines of its call.
    public func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        try await exchange.passOn { () throws(CallError) in
            try await send(request, call: exchange.call, files: exchange.support, endsWithTask: true)
        }
    }

    /// An engine that is given to a client keeps its own settings. A setting that the client changes must be the same in
    /// the engine.
    public func unsupported(_ other: ConnectionSettings) -> Set<ConnectionSettings.Name> {
        other.changed.intersection(other.differences(from: settings.settings))
    }

    /// Does one exchange over a connection of the pool.
    /// - Throws: ``CallError``: what ended the exchange, in which phase.
    /// - Parameters:
    ///   - files: opens the file of a body.
    ///   - endsWithTask: whether the exchange ends when the task is cancelled, as well as with the call.
    package func send(
        _ request: consuming Request, call: Call, files: any TransportSupport, endsWithTask: Bool = false
    ) async throws(CallError) -> Response {
        guard let uri = request.uri else {
            throw CallError(.invalidRequest, "the request has no absolute URI", request: request)
        }
        if request.method != .get || !request.isPlain { try request.checkMethod() }
        let key = try key(for: uri)
        var upload = RequestBodySource.none
        if !request.body.isEmpty {
            if case .file(let path) = request.body.content {
                // In a forked process nothing would end the wait for the file.
                _ = try loops.home(of: key)
                let (reader, length) = try await files.open(file: path, for: call)
                upload = .pieces(reader, length: length)
            } else {
                upload = try RequestBodySource(request.body)
            }
        }
        let (loopPool, isHere) = try loops.loopPool(for: key)
        let exchange = Exchange(
            request, uri: uri, call: call, key: consume key, loopPool: loopPool, upload: upload, isHere: isHere)
        if call.options.isGuarded || endsWithTask {
            // An interceptor may have cancelled the task that it goes on in, and nothing else of the call.
            await withTaskCancellationHandler {
                await run(exchange, on: loopPool, isHere: isHere)
            } onCancel: {
                exchange.cancel()
            }
        } else {
            await run(exchange, on: loopPool, isHere: isHere)
        }
        switch exchange.takeOutcome() {
        case .success(let response): return response
        case .failure(let error): throw error
        case nil:
            throw CallError(
                .misuse, "the exchange was resumed without an outcome", request: exchange.outgoing.request)
        }
    }

    @inline(__always)
    private func run(_ exchange: Exchange, on loopPool: LoopPool, isHere: Bool) async {
        await withUnsafeContinuation { continuation in
            guard exchange.wait(continuation) else { return }
            if isHere {
                loopPool.start(exchange)
            } else {
                loopPool.handOver(exchange)
            }
        }
    }

    private func key(for uri: TargetURI) throws(CallError) -> ConnectionKey {
        let proxy = settings.hasNoProxy ? nil : try settings.settings.proxy.proxy(for: uri)
        return ConnectionKey(origin: uri.origin, settings: settings, proxy: proxy)
    }

    /// How many connections calls to this origin find or wait for where they go first: idle, in use, or being made.
    package func connections(to uri: TargetURI) async throws(CallError) -> Int {
        let key = try key(for: uri)
        let loopPool = try loops.home(of: key)
        return (try? await loopPool.loop.submit { loopPool.connections(for: key) }.get()) ?? 0
    }

    /// Makes one more connection at the origin's home loop, for a later call that runs there.
    package func warmUp(_ uri: TargetURI, call: Call) async throws(CallError) {
        let key = try key(for: uri)
        let loopPool = try loops.home(of: key)
        // A connection that only shows its certificates serves no call.
        if !settings.readsCertificates { loops.current.noteWarmUp(key) }
        let warmUp = WarmUp(call, key: key, loopPool: loopPool)
        await withUnsafeContinuation { continuation in
            if warmUp.wait(continuation) { loopPool.loop.execute { loopPool.start(warmUp) } }
        }
        if case .failure(let error) = warmUp.takeOutcome() { throw error }
    }

    /// An engine whose handshakes only read the server's certificates. Its ``warmUp(_:call:)`` fails with a ``CertificatesRead``.
    package func readingCertificates(_ settings: ConnectionSettings) -> Engine {
        Engine(loops: loops, settings: SharedSettings(settings, reusing: self.settings, readsCertificates: true))
    }

    /// Closes idle connections, and the others as soon as they are free; later calls fail.
    public func close() async {
        loops.endReplacing()
        let loops = loops.current
        loops.closeCallers()
        for loopPool in loops.allPools where loopPool.loop.hasThread {
            _ = try? await loopPool.loop.submit { loopPool.close() }.get()
        }
    }

    package func statistics() async -> TransportStatistics {
        var sum = TransportStatistics()
        for loopPool in loops.current.allPools where loopPool.loop.hasThread {
            guard let part = try? await loopPool.loop.submit({ loopPool.statistics }).get() else { continue }
            sum.running += loopPool.load.load(ordering: .relaxed)
            sum.leased += part.leased
            sum.idle += part.idle
            sum.waiting += part.waiting
            sum.connecting += part.connecting
            sum.sockets += part.sockets
            sum.unconsumedBytes += part.unconsumedBytes
        }
        return sum
    }

    /// A loop for a blocking call, which runs it until its answer is there.
    package func takeCallerLoop() -> CallerLoop { loops.current.takeCallerLoop() }

    /// Whether the current thread is that of a loop that others share, ours or SwiftNIO's, where nothing may block.
    package static var isOnLoop: Bool {
        EventLoop.isOnShared || MultiThreadedEventLoopGroup.currentEventLoop != nil
    }
}
