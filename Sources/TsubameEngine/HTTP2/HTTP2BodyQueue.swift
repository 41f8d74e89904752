// HTTP2BodyQueue: pieces of a body that wait for the windows of HTTP/2.

import HTTPTypes
import NIOCore
import TsubameCore

/// Pieces of a body that are on their way.
final class HTTP2BodyQueue {
    var pieces: [Bytes]
    /// The first piece that has not gone out whole, and how much of it has.
    var index = 0
    var offset = 0
    /// The stream ends with them, or with trailers behind them.
    let isLast: Bool
    let trailers: HTTPFields?
    let promise: EventLoopPromise<Void>?

    init(_ pieces: [Bytes], isLast: Bool, trailers: HTTPFields? = nil, promise: EventLoopPromise<Void>? = nil) {
        self.pieces = pieces.filter { $0.count > 0 }
        self.isLast = isLast
        self.trailers = trailers
        self.promise = promise
    }

    /// The rest, up to `limit`.
    func count(upTo limit: Int) -> Int {
        var count = -offset
        for piece in pieces[index...] {
            count += piece.count
            if count >= limit { return limit }
        }
        return count
    }

    /// Moves so many bytes over; there are as many.
    func take(_ count: Int, to buffer: inout ByteBuffer) {
        var rest = count
        while rest > 0, index < pieces.count {
            let piece = pieces[index]
            let part = Swift.min(rest, piece.count - offset)
            piece.slice(offset..<(offset + part)).withUnsafeBytes { _ = buffer.writeBytes($0) }
            rest -= part
            offset += part
            if offset == piece.count { (index, offset) = (index + 1, 0) }
        }
    }
}
