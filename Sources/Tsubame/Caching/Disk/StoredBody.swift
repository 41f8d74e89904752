// StoredBody: reads a large cached body from its file.

import Dispatch
import Synchronization
import TsubameCore

/// Reads on a queue that may block, and returns only bytes whose checksums match.
final class StoredBody: BodySource {
    /// A whole number of blocks.
    private static let pieceBytes = 4 * BlockSums.blockBytes

    private struct State: Sendable {
        var offset: Int64
        var isReading = false
        var isOver = false
    }

    private let file: BodyFile
    private let content: StoredContent
    private let queue: DispatchQueue
    private let state: Mutex<State>
    /// Called when the file's bytes do not match their checksums.
    private let isDamaged: @Sendable () -> Void

    init(
        _ file: BodyFile, _ content: StoredContent, from offset: Int64, on queue: DispatchQueue,
        isDamaged: @escaping @Sendable () -> Void
    ) {
        self.file = file
        self.content = content
        self.queue = queue
        self.isDamaged = isDamaged
        state = Mutex(State(offset: offset))
    }

    func next() async throws(CallError) -> Bytes? {
        let offset = try state.withLock { state throws(CallError) -> Int64? in
            guard !state.isReading else {
                throw CallError(.misuse, "the body is being read by someone else", phase: .receivingBody)
            }
            guard !state.isOver, state.offset < content.length else { return nil }
            state.isReading = true
            return state.offset
        }
        guard let offset else { return nil }
        let piece = await withCheckedContinuation { continuation in
            queue.async {
                let piece = self.piece(at: offset)
                if piece == nil { self.isDamaged() }
                continuation.resume(returning: piece)
            }
        }
        state.withLock { state in
            state.isReading = false
            state.offset += Int64(piece?.count ?? 0)
            if piece == nil { state.isOver = true }
        }
        guard let piece else {
            throw CallError(
                .file, "the stored response is damaged at byte \(offset)", phase: .receivingBody,
                advice: "send the request again: the response is forgotten")
        }
        return piece
    }

    /// The bytes from this offset to the end of a block, or nil if they do not match their checksums.
    private func piece(at offset: Int64) -> Bytes? {
        let start = offset - offset % Int64(BlockSums.blockBytes)
        let count = Int(min(Int64(Self.pieceBytes), content.length - start))
        guard let bytes = file.read(count, at: start), bytes.count == count,
            bytes.withUnsafeBytes({
                content.sums.agree(with: $0, from: Int(start / Int64(BlockSums.blockBytes)))
            })
        else { return nil }
        return bytes.slice(Int(offset - start)..<count)
    }

    /// Reads the whole rest at once.
    func whole() -> Bytes? {
        let offset = state.withLock { $0.offset }
        var pieces: [Bytes] = []
        var end = offset
        while end < content.length {
            guard let piece = piece(at: end), piece.count > 0 else {
                isDamaged()
                return nil
            }
            pieces.append(piece)
            end += Int64(piece.count)
        }
        return Bytes(joining: pieces)
    }

    func cancel() { state.withLock { $0.isOver = true } }
}
