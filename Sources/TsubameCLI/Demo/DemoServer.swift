// DemoServer: the embedded server, and what it has received.
#if Tool
import HTTPBin

/// An embedded server on a free port of the loopback interface that tells of its requests in order.
final class DemoServer {
    /// How long a request is waited for. Its record is made before it is answered, and the jobs wait for answers: one
    /// that is not there by then has been lost.
    private static let patience = Duration.seconds(5)

    private enum Event: Sendable {
        case record(RequestRecord)
        /// Enough waited, for the wait of this number.
        case timeUp(Int)
    }

    /// A request of which no record came.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private let server: RunningHTTPBin
    private let sink: AsyncStream<Event>.Continuation
    private var events: AsyncStream<Event>.AsyncIterator
    private var waits = 0

    /// - Parameter losing: the number of a request, counted from 1, that is kept secret.
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

    /// The next request whose path begins so; others are passed over.
    /// - Throws: ``Missing`` if it does not come.
    func request(_ path: String) async throws -> RequestRecord {
        waits += 1
        let alarm = Self.alarm(waits, sink)
        defer { alarm.cancel() }
        if let record = await next(path, until: waits) { return record }
        throw Missing(description: "the server has told of no request to \(path)")
    }

    private static func alarm(_ number: Int, _ sink: AsyncStream<Event>.Continuation) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: patience)
            sink.yield(.timeUp(number))
        }
    }

    /// The same of those that have come by now.
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
