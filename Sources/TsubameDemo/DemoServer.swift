// DemoServer: the embedded server, and the requests that it has received.
#if Server && XML
import HTTPBin

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

    /// - Parameter losing: the number of a request that is not reported, counted from 1.
    init(losing: Int? = nil) async throws {
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        let received = Counter()
        server = try await HTTPBin(onRequest: { record in
            if received.increase() != losing { sink.yield(.record(record)) }
        }).start()
        self.sink = sink
        self.events = events.makeAsyncIterator()
    }

    var url: String { server.url }

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
