// ConnectionLoan: a plain connection in the hands of the reader of a body.

import HTTPTypes
import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameSockets
import TsubameWire

/// Receives a body where its reader runs. The decoder and the bytes behind the last piece move here with the loan, and the loop
/// receives nothing meanwhile. It may take the loan back between two reads. Within a read it can only shut the socket down. The
/// reader then gives the socket back, and the loop closes it: so no read ever meets another socket of the same number.
// `state` is guarded by its lock. All else belongs to the reader while it is out, and to the loop before and after. The lock, and
// the loop's inbox, order the two.
final class ConnectionLoan: BodyLoan, ChannelLoan, @unchecked Sendable {
    /// Why a loan is over.
    enum End {
        /// The socket has no more bytes now, or the reader is slow.
        case goesOn(isSlow: Bool)
        /// The reader is on an event loop. It would keep the other connections of that waiting.
        case isOnLoop
        /// The response is complete. So many bytes were there behind it.
        case complete(HTTPFields?, leftover: Int)
        case fault(WireError)
        /// The socket has ended, or has failed.
        case closed(SocketError?)
    }

    private enum State {
        case idle, reading
        /// The loop wants the socket as soon as the read is done.
        case revoked(returnSocket: @Sendable () -> Void)
        case over
    }

    private let state = Mutex(State.idle)
    private let connection: HTTP1Connection
    private let descriptor: Int32
    /// Whether the reader takes all that comes, however long its thread is busy.
    private let isTrusted: Bool
    private var lastRead: MonotonicTime
    private var size: ReadSize
    private var chunk: MemoryChunk?
    var decoder = ResponseDecoder(limits: Limits())
    private(set) var rest = UnconsumedInput()
    private(set) var end: End?
    private let received = Atomic<Int64>(0)

    init(_ connection: HTTP1Connection, _ channel: SocketChannel, isTrusted: Bool) {
        self.connection = connection
        self.isTrusted = isTrusted
        descriptor = channel.descriptor
        size = channel.input.size
        lastRead = MonotonicClock.now
    }

    /// Of the body, so far; on any thread.
    var receivedBytes: Int64 { received.load(ordering: .relaxed) }

    // MARK: The reader

    func read() -> (piece: Bytes?, isOver: Bool) {
        let begins = state.withLock { state in
            guard case .idle = state else { return false }
            state = .reading
            return true
        }
        guard begins else { return (nil, true) }
        let piece = readPiece()
        let returnSocket = state.withLock { state -> (@Sendable () -> Void)? in
            if case .revoked(let returnSocket) = state {
                state = .over
                return returnSocket
            }
            state = end == nil ? .idle : .over
            return nil
        }
        if let returnSocket {
            connection.loopPool.loop.execute(returnSocket)
            return (nil, true)
        }
        return (piece, end != nil)
    }

    func giveBack() {
        // One that was taken back is not given back.
        if end != nil { connection.loopPool.loop.execute { self.connection.takeBack(self) } }
    }

    /// - Returns: nil if the loan is over.
    private func readPiece() -> Bytes? {
        let now = MonotonicClock.now
        // The loop keeps little for a slow reader.
        if !isTrusted, now &- lastRead >= ReadAhead.slowPause { end = .goesOn(isSlow: true) }
        if EventLoop.isOnShared || connection.loopPool.loop.inEventLoop { end = .isOnLoop }
        lastRead = now
        while end == nil {
            let chunk = takeChunk()
            let room = UnsafeMutableRawBufferPointer(start: chunk.base, count: size.value)
            switch Socket.read(descriptor, into: room) {
            case .bytes(let count):
                size.record(count)
                let read = ReceivedBytes(chunk, count: count)
                if let piece = decode(read) { return piece }
            case .wouldBlock: end = .goesOn(isSlow: false)
            case .end: end = .closed(nil)
            case .failed(let error): end = .closed(error)
            }
        }
        return nil
    }

    /// Memory to which nothing else refers.
    private func takeChunk() -> MemoryChunk {
        if isKnownUniquelyReferenced(&chunk), let chunk { return chunk }
        let new = MemoryChunk()
        chunk = new
        return new
    }

    private func decode(_ read: ReceivedBytes) -> Bytes? {
        guard !rest.isEmpty else {
            let (piece, consumed) = decodeBody(read)
            if end == nil { rest.keep(read.bytes, after: consumed) }
            return piece
        }
        let joined = rest.join(read.bytes)
        let (piece, consumed) = joined.withUnsafeBytes { decodeBody(ReceivedBytes($0)) }
        if end == nil { rest.giveBack(joined, consumed: consumed) }
        return piece
    }

    private func decodeBody(_ read: ReceivedBytes) -> (piece: Bytes?, consumed: Int) {
        var offset = 0
        var pieces = ReceivedPieces()
        do throws(WireError) {
            reading: while true {
                switch try decoder.next(read.bytes, &offset) {
                case .body(let range): pieces.add(range, of: read)
                case .needsMore: break reading
                case .end(let trailers):
                    end = .complete(trailers, leftover: read.count - offset)
                    break reading
                case .head, .informational, .whole:
                    throw WireError(.invalidResponse, "a second head within a body")
                }
            }
        } catch {
            end = .fault(error)
        }
        let piece = pieces.take(from: read)
        received.wrappingAdd(Int64(piece?.count ?? 0), ordering: .relaxed)
        return (piece, offset)
    }

    // MARK: The loop

    func revoke(_ returnSocket: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            switch state {
            case .idle, .over:
                state = .over
                return true
            case .reading, .revoked:
                state = .revoked(returnSocket: returnSocket)
                return false
            }
        }
    }
}
