// UploadPipe: the body of a request on its way from its source to FoundationNetworking.
#if canImport(FoundationNetworking)

import Foundation
import Synchronization
import Tsubame

/// Takes a body piece by piece. FoundationNetworking reads ``stream`` on the thread of the session, which waits for the pieces.
final class UploadPipe: Sendable {
    private enum End: Sendable { case complete, broken }

    private struct State: Sendable {
        var piece = Bytes()
        var end: End?
        var sender: CheckedContinuation<Void, Never>?
        var feeder: Task<Void, Never>?
    }

    private let body: RequestBodyReader
    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    init(_ body: RequestBodyReader) { self.body = body }

    /// For one task of the session.
    var stream: InputStream { PipeStream(self) }

    /// Begins to take the pieces of the body.
    /// - Parameter fail: called with the error of the body's source.
    func start(_ fail: @escaping @Sendable (CallError) -> Void) {
        let feeder = Task {
            do throws(CallError) {
                while let piece = try await body.next() {
                    guard await send(piece) else { return }
                }
                end(.complete)
            } catch {
                end(.broken)
                fail(error)
            }
        }
        let isOver = state.withLock { state in
            state.feeder = feeder
            return state.end != nil
        }
        if isOver { feeder.cancel() }
    }

    /// Cancels the source. A reader that waits for a piece gets an error, so that the request does not look complete.
    func close() {
        state.withLock { $0.feeder }?.cancel()
        end(.broken)
    }

    private func end(_ end: End) {
        let sender = state.withLock { state in
            if state.end == nil { state.end = end }
            defer { state.sender = nil }
            return state.sender
        }
        arrival.signal()
        sender?.resume()
    }

    /// Waits until the reader has taken the piece.
    /// - Returns: false if the pipe has ended.
    private func send(_ piece: Bytes) async -> Bool {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.end == nil else { return true }
                state.piece = piece
                state.sender = continuation
                return false
            }
            if isOver { continuation.resume() } else { arrival.signal() }
        }
        return state.withLock { $0.end == nil }
    }

    /// Waits for a piece.
    /// - Returns: the number of bytes; 0 at the end; -1 after ``close()`` and after an error of the source.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let (count, sender) = state.withLock { state -> (Int?, CheckedContinuation<Void, Never>?) in
                if state.end == .broken { return (-1, nil) }
                guard !state.piece.isEmpty else { return (state.end == .complete ? 0 : nil, nil) }
                let count = min(state.piece.count, buffer.count)
                state.piece.slice(0..<count).withUnsafeBytes { buffer.copyMemory(from: $0) }
                state.piece = state.piece.slice(count..<state.piece.count)
                guard state.piece.isEmpty else { return (count, nil) }
                defer { state.sender = nil }
                return (count, state.sender)
            }
            sender?.resume()
            if let count { return count }
            arrival.wait()
        }
    }
}

// The session reads it on one thread at a time.
private final class PipeStream: InputStream {
    private let pipe: UploadPipe
    private var status = Stream.Status.notOpen

    init(_ pipe: UploadPipe) {
        self.pipe = pipe
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    /// The session takes false for the end, and ``read(_:maxLength:)`` tells the end itself.
    override var hasBytesAvailable: Bool { true }

    override func open() { status = .open }
    override func close() { status = .closed }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: maxLength))
    }
}
#endif
