// DemoServer: the embedded server, and what it has received.
#if Tool
import HTTPBin

/// An embedded server on a free port of the loopback interface that tells of its requests in order.
final class DemoServer {
    private let server: RunningHTTPBin
    private var records: AsyncStream<RequestRecord>.AsyncIterator

    struct Ended: Error {}

    init() async throws {
        let (records, sink) = AsyncStream.makeStream(of: RequestRecord.self)
        server = try await HTTPBin(onRequest: { sink.yield($0) }).start()
        self.records = records.makeAsyncIterator()
    }

    var url: String { server.url }

    /// The next request whose path begins so; others are passed over.
    func request(_ path: String) async throws -> RequestRecord {
        while let record = await records.next(isolation: nil) {
            if record.target.hasPrefix(path) { return record }
        }
        throw Ended()
    }

    func stop() async { await server.stop() }
}

#endif
