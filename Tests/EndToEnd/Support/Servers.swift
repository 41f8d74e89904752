// RequestLog: a server with a log of the requests that it receives.
#if Server
import HTTPBin
import Synchronization

/// The requests that an HTTPBin has received, each with its bytes.
final class RequestLog: Sendable {
    private let records = Mutex<[RequestRecord]>([])

    func add(_ record: RequestRecord) { records.withLock { $0.append(record) } }

    var all: [RequestRecord] { records.withLock { $0 } }

    /// The requests with one method and path, in the order of their arrival.
    func callAsFunction(_ method: String, _ path: String) -> [RequestRecord] {
        all.filter { $0.method == method && $0.target.prefix { $0 != "?" } == path }
    }
}

extension RequestRecord {
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The target after its `?`; empty if it has none.
    var query: String { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } ?? "" }
}

/// Runs `body` with a server on a free port and stops it afterwards.
func withHTTPBin<R>(_ body: (_ url: String, _ log: RequestLog) async throws -> R) async throws -> R {
    let log = RequestLog()
    let server = try await HTTPBin(onRequest: { log.add($0) }).start()
    do {
        let result = try await body(server.url, log)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}
#endif
