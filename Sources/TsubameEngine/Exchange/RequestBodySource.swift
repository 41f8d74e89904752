// RequestBodySource: the body of a request on its way out.

import TsubameCore

/// How the body of one sending goes out.
enum RequestBodySource: Sendable {
    case none
    /// With the head, in one write.
    case small(Bytes)
    /// Piece by piece, by a task that waits while the socket is full. Without a length, and with trailers, chunked.
    case pieces(any BodyReader, length: Int64?)

    /// Bodies up to this size go out with the head.
    static let smallBytes = 32 << 10

    /// - Parameter body: no file, which must be opened before.
    init(_ body: RequestBody) throws(CallError) {
        switch body.content {
        case nil:
            self = .none
        case .bytes(let bytes):
            self =
                bytes.count <= Self.smallBytes && body.trailers == nil
                ? .small(bytes) : .pieces(BytesReader(bytes), length: Int64(bytes.count))
        case .file(let path):
            throw CallError(.requestBody, "the file \(path) has not been opened")
        case .stream(let open, _):
            self = .pieces(open(), length: body.length)
        case .deferred:
            self = try RequestBodySource(body.resolved(by: nil))
        case .failed(let error):
            throw error
        }
    }
}
