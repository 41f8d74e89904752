// SentHead: the head of a request as it goes over the wire.

import Tsubame

enum SentHead {
    /// The bytes that the engine sends for this request, from the same encoder. For HTTP/2, the sent fields as lines.
    static func bytes(of request: Request, _ version: HTTPVersion = .http11) throws(CallError) -> Bytes {
        guard let uri = request.uri else { return Bytes() }
        if version == .http2 { return try bytes(overHTTP2: request, uri) }
        let method = request.method.rawValue
        let capacity = RequestEncoder.capacity(
            method: method, target: uri.target, authority: uri.authority, headers: request.headers.fields)
        do throws(WireError) {
            let framing = framing(of: request)
            return try Bytes(capacity: capacity) { output throws(WireError) in
                try RequestEncoder.write(
                    method: method, target: uri.target, authority: uri.authority, headers: request.headers.fields,
                    framing: framing, into: output)
            }
        } catch {
            throw CallError(error, phase: .preparing)
        }
    }

    private static func bytes(overHTTP2 request: Request, _ uri: TargetURI) throws(CallError) -> Bytes {
        let length: Int64? = if case .length(let length) = framing(of: request) { length } else { nil }
        do throws(WireError) {
            return try HTTP2SentHead.bytes(
                method: request.method.rawValue, authority: uri.authority, target: uri.target,
                headers: request.headers.fields,
                length: length)
        } catch {
            throw CallError(error, phase: .preparing)
        }
    }

    private static func framing(of request: Request) -> RequestEncoder.Framing {
        switch request.body.content {
        case nil: request.method.expectsBody ? .length(0) : .none
        case .file(let path): .length(length(of: path))
        default: request.body.length.map { .length($0) } ?? .chunked
        }
    }

    private static func length(of path: String) -> Int64 {
        guard let file = try? Descriptor.reading(path) else { return 0 }
        defer { file.shut() }
        return file.remainingBytes
    }
}
