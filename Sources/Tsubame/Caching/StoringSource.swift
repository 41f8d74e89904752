// StoringSource: a body source that stores the body while the caller reads it.

import Dispatch
import Synchronization
import TsubameCore

/// Stores only the pieces that the reader pulls, when it pulls them. The response is kept only if the reader reaches
/// the end.
final class StoringSource: BodySource {
    private let source: any BodySource
    /// nil after storing has ended.
    private let writer: Mutex<(any CacheWriter)?>
    private let queue: DispatchQueue?
    private let call: Call
    private let isWanted: @Sendable () -> Bool
    private let hasFailed: @Sendable () -> Void
    private let isOver: @Sendable () -> Void

    /// - Parameters:
    ///   - queue: the queue on which to use the writer, if it blocks.
    ///   - isWanted: asked at the end whether to keep the response.
    ///   - hasFailed: called on the queue if the response cannot be stored.
    ///   - isOver: called when storing has ended.
    init(
        _ source: any BodySource, _ writer: any CacheWriter, queue: DispatchQueue?, _ call: Call,
        isWanted: @escaping @Sendable () -> Bool, hasFailed: @escaping @Sendable () -> Void,
        isOver: @escaping @Sendable () -> Void
    ) {
        self.source = source
        self.writer = Mutex(writer)
        self.queue = queue
        self.call = call
        self.isWanted = isWanted
        self.hasFailed = hasFailed
        self.isOver = isOver
    }

    func next() async throws(CallError) -> Bytes? {
        do throws(CallError) {
            let piece = try await source.next()
            guard let writer = writer.withLock({ $0 }) else { return piece }
            let goesOn: Bool
            if let queue {
                do throws(CallError) {
                    goesOn = try await BlockingWork.run(on: queue, call) { self.store(piece, writer) }
                } catch {
                    // The reader gets its piece. The response is not stored, because the cache ran out of time.
                    guard error.kind == .timeout else { throw error }
                    goesOn = false
                }
            } else {
                goesOn = store(piece, writer)
            }
            if !goesOn {
                give()
                isOver()
            }
            return piece
        } catch {
            give()
            source.cancel()
            throw error
        }
    }

    private func store(_ piece: Bytes?, _ writer: any CacheWriter) -> Bool {
        if let piece {
            let goesOn = writer.write(piece)
            if !goesOn { hasFailed() }
            return goesOn
        }
        if isWanted(), !writer.finish() { hasFailed() }
        return false
    }

    private func give() { writer.withLock { $0 = nil } }

    func cancel() {
        give()
        source.cancel()
    }
}

/// The first bytes of a body.
final class LimitedSource: BodySource {
    private let source: any BodySource
    private let rest: Mutex<Int64>

    init(_ source: any BodySource, _ count: Int64) {
        self.source = source
        rest = Mutex(count)
    }

    func next() async throws(CallError) -> Bytes? {
        guard rest.withLock({ $0 > 0 }), let piece = try await source.next() else {
            source.cancel()
            return nil
        }
        return rest.withLock { rest in
            let taken = piece.slice(0..<Int(clamping: rest))
            rest -= Int64(taken.count)
            return taken
        }
    }

    func cancel() {
        rest.withLock { $0 = 0 }
        source.cancel()
    }
}

extension ResponseBody {
    /// The first bytes of the body.
    func limited(to count: Int64) -> ResponseBody {
        switch content {
        case .whole(let bytes): ResponseBody(bytes.slice(0..<Int(clamping: count)))
        case .stream(let source): ResponseBody(LimitedSource(source, count))
        }
    }
}
