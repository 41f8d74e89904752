// StoringSource: a body on its way to its reader that is stored in passing.

import Dispatch
import Synchronization
import TsubameCore

/// What the reader pulls is stored, no more and no sooner; only what he reads to its end is kept.
final class StoringSource: BodySource {
    private let source: any BodySource
    /// nil once there is nothing to store any more.
    private let writer: Mutex<(any CacheWriter)?>
    private let queue: DispatchQueue?
    private let call: Call
    private let isWanted: @Sendable () -> Bool
    private let isOver: @Sendable () -> Void

    /// - Parameters:
    ///   - queue: where the writer is to be used, if it blocks.
    ///   - isWanted: asked at the end.
    ///   - isOver: called when nothing more is stored.
    init(
        _ source: any BodySource, _ writer: any CacheWriter, queue: DispatchQueue?, _ call: Call,
        isWanted: @escaping @Sendable () -> Bool, isOver: @escaping @Sendable () -> Void
    ) {
        self.source = source
        self.writer = Mutex(writer)
        self.queue = queue
        self.call = call
        self.isWanted = isWanted
        self.isOver = isOver
    }

    func next() async throws(CallError) -> Bytes? {
        do throws(CallError) {
            let piece = try await source.next()
            guard let writer = writer.withLock({ $0 }) else { return piece }
            let goesOn: Bool
            if let queue {
                let isWanted = isWanted
                do throws(CallError) {
                    goesOn = try await BackgroundWork.run(on: queue, call) { Self.store(piece, writer, isWanted) }
                } catch {
                    // What the cache has no time for is not stored; what has come is the reader's.
                    guard error.kind == .timeout else { throw error }
                    goesOn = false
                }
            } else {
                goesOn = Self.store(piece, writer, isWanted)
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

    private static func store(_ piece: Bytes?, _ writer: any CacheWriter, _ isWanted: () -> Bool) -> Bool {
        if let piece { return writer.write(piece) }
        if isWanted() { _ = writer.finish() }
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

extension ReceivedBody {
    /// The first bytes of it.
    func limited(to count: Int64) -> ReceivedBody {
        switch content {
        case .whole(let bytes): ReceivedBody(bytes.slice(0..<Int(clamping: count)))
        case .stream(let source): ReceivedBody(LimitedSource(source, count))
        }
    }
}
