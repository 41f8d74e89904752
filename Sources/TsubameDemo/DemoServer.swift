// DemoServer: the embedded server, and the requests that it has received.
#if Server && XML
import HTTPBin
import Tsubame
#if Inspector
import TsubameInspector
#endif

/// An embedded server on a free port of the loopback interface. It reports its requests in order.
final class DemoServer {
    /// The time limit for a request's record. The server records a request before it answers, and the jobs wait for
    /// answers. So a record that is still missing then has been lost.
    private static let startTimeout = Duration.seconds(5)

    private enum Event: Sendable {
        case record(RequestRecord)
        /// The end of the wait with this number.
        case timeUp(Int)
    }

    /// The error for a request without a record.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private let server: RunningHTTPBin
    private let sink: AsyncStream<Event>.Continuation
    private var events: AsyncStream<Event>.AsyncIterator
    private var waits = 0
    #if Inspector
    private let log: TrafficLog?
    #endif

    /// - Parameters:
    ///   - losing: the number of a request that is not reported, counted from 1.
    ///   - isInspected: whether a log keeps the calls.
    init(losing: Int? = nil, isInspected: Bool = false) async throws {
        #if Inspector
        log = isInspected ? TrafficLog() : nil
        log?.keepBodies()
        #endif
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        let received = Counter()
        server = try await HTTPBin(onRequest: { record in
            if received.increase() != losing { sink.yield(.record(record)) }
        }).start()
        self.sink = sink
        self.events = events.makeAsyncIterator()
    }

    var url: String { server.url }

    /// The client, whose calls the inspector shows.
    func watched(_ client: Client) -> Client {
        #if Inspector
        log?.add(client)
        #endif
        return client
    }

    /// Starts the inspector of the calls; nil if the demo is not inspected.
    /// - Returns: the URL of its page, and the inspector, which ends when it is released.
    func inspect() async throws -> (url: String, inspector: AnyObject)? {
        #if Inspector
        guard let log else { return nil }
        let inspector = try await Inspector(log: log)
        return (inspector.url, inspector)
        #else
        return nil
        #endif
    }

    /// The next request whose target begins with `path`. Other requests are skipped.
    /// - Throws: ``Missing`` if the request does not come in time.
    func request(_ path: String) async throws -> RequestRecord {
        waits += 1
        let alarm = Self.alarm(waits, sink)
        defer { alarm.cancel() }
        if let record = await next(path, until: waits) { return record }
        throw Missing(description: "the server has told of no request to \(path)")
    }

    private static func alarm(_ number: Int, _ sink: AsyncStream<Event>.Continuation) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: startTimeout)
            sink.yield(.timeUp(number))
        }
    }

    /// The same among the requests that have come by now; nil if there is none.
    func requestSoFar(_ path: String) async -> RequestRecord? {
        waits += 1
        sink.yield(.timeUp(waits))
        return await next(path, until: waits)
    }

    private func next(_ path: String, until number: Int) async -> RequestRecord? {
        while let event = await events.next(isolation: nil) {
            switch event {
            case .record(let record) where record.target.hasPrefix(path): return record
            case .timeUp(number): return nil
            case .record, .timeUp: break
            }
        }
        return nil
    }

    func stop() async { await server.stop() }
}

#endif
