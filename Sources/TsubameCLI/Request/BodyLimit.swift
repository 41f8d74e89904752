// BodyLimit: fails a call whose response has a longer body than the user allows.

import Synchronization
import Tsubame

/// The interceptor of `--max-filesize`. It stands before redirects and the cache, so it sees the last response only, and
/// counts its bytes after decoding.
struct BodyLimit: Interceptor {
    /// The most bytes of a body.
    let bytes: Int64

    func intercept(_ request: Request, next: Next) async throws -> Response {
        let isHead = request.method == .head
        var response = try await next(request)
        guard !isHead, ![204, 304].contains(response.statusCode) else { return response }
        if let length = response.headers[.contentLength].flatMap({ Int64($0) }), length > bytes {
            response.body.discard()
            throw Self.error(bytes)
        }
        switch response.body.content {
        case .whole(let whole): if whole.count > bytes { throw Self.error(bytes) }
        case .stream(let source): response.body = ResponseBody(LimitedBody(source, bytes: bytes))
        }
        return response
    }

    fileprivate static func error(_ bytes: Int64) -> CallError {
        CallError(
            .limitExceeded, "the response's body is longer than \(bytes) bytes", phase: .receivingBody,
            advice: "--max-filesize allows no more")
    }
}

/// Counts the bytes of a body, and fails when they are too many.
private final class LimitedBody: BodySource {
    private let source: any BodySource
    private let bytes: Int64
    private let count = Mutex<Int64>(0)

    init(_ source: any BodySource, bytes: Int64) {
        self.source = source
        self.bytes = bytes
    }

    func next() async throws(CallError) -> Bytes? {
        guard let piece = try await source.next() else { return nil }
        let total = count.withLock { count in
            count += Int64(piece.count)
            return count
        }
        guard total <= bytes else {
            cancel()
            throw BodyLimit.error(bytes)
        }
        return piece
    }

    func cancel() { source.cancel() }

    var received: any BodySource { source.received }

    var call: Call? { source.call }

    func prefer(_ executor: (any TaskExecutor)?) { source.prefer(executor) }
}
