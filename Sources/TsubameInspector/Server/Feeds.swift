// Feeds: tells open pages which calls have changed, by server-sent events.

#if Inspector
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import TsubameCore

/// The open pages. The first one makes the log keep bodies.
final class Feeds: Sendable {
    private struct State {
        var isEnded = false
        var feeds: [UInt64: Feed] = [:]
    }

    /// The most rows of one event.
    static let mostRows = 500
    private let log: TrafficLog
    private let texts: ShownTexts
    private let state = Mutex(State())

    init(_ log: TrafficLog, _ texts: ShownTexts) {
        self.log = log
        self.texts = texts
    }

    /// A response that lasts until the page is closed.
    func response(on channel: any Channel) -> ServerResponse {
        log.keepBodies()
        let feed = Feed()
        let number = log.addReader { feed.add($0) }
        let isEnded = state.withLock { state in
            state.feeds[number] = feed
            return state.isEnded
        }
        // The body of the response may never run, if the page has left already.
        channel.closeFuture.whenComplete { _ in
            feed.end()
            self.remove(number)
        }
        if isEnded { feed.end() }
        let body = ServerBody { [log, texts] writer in
            defer { self.remove(number) }
            // A first event, so that the page knows that it is connected.
            try await writer.write(ByteBuffer(string: ": connected\n\n"))
            while let changed = await feed.next() {
                let rows = log.read { ring in
                    Routes.Rows(
                        rows: changed.compactMap { ring[$0] }.map { texts.row($0, in: ring) },
                        gone: changed.filter { ring[$0] == nil },
                        count: ring.count, evicted: ring.evicted, showsSecrets: false)
                }
                texts.forget(rows.gone)
                let json = String(decoding: try JSONEncoder().encode(rows), as: UTF8.self)
                try await writer.write(ByteBuffer(string: "data: \(json)\n\n"))
            }
            try await writer.finish(nil)
        }
        return ServerResponse(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    private func remove(_ number: UInt64) {
        log.removeReader(number)
        state.withLock { _ = $0.feeds.removeValue(forKey: number) }
    }

    /// Ends the responses to all pages.
    func end() {
        let feeds = state.withLock { state in
            state.isEnded = true
            return state.feeds.values
        }
        for feed in feeds { feed.end() }
    }
}

/// The calls that one page has yet to be told. A slow page gets fewer, larger events.
private final class Feed: Sendable {
    private struct State {
        /// In the order of their first change.
        var changed: [UInt64] = []
        var isChanged: Set<UInt64> = []
        var isEnded = false
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// A page that has not read for so many calls connects again and reads all.
    private static let mostChanges = 100_000

    func add(_ calls: Set<UInt64>) {
        change { state in
            guard !state.isEnded else { return }
            state.changed += calls.sorted().filter { state.isChanged.insert($0).inserted }
            if state.changed.count > Self.mostChanges {
                (state.isEnded, state.changed, state.isChanged) = (true, [], [])
            }
        }
    }

    func end() { change { $0.isEnded = true } }

    private func change(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for changes. nil ends the feed.
    func next() async -> [UInt64]? {
        await withUnsafeContinuation { continuation in
            let isReady = state.withLock { state in
                if state.isEnded || !state.changed.isEmpty { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            if state.isEnded { return nil }
            let batch = Array(state.changed.prefix(Feeds.mostRows))
            state.changed.removeFirst(batch.count)
            state.isChanged.subtract(batch)
            return batch
        }
    }
}
#endif
