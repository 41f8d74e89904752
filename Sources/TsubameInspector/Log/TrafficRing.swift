// TrafficRing: the calls of a log in the order of their start, within a limit of bytes.

package import TsubameCore
import TsubamePlatform

/// Keeps the latest calls. When they take more than the limit, the oldest ones that have ended are evicted.
package struct TrafficRing: Sendable {
    /// The limit for all calls, in bytes.
    package let limit: Int
    /// The limit for each body, in bytes.
    package let bodyLimit: Int
    /// The number of calls that were evicted.
    package internal(set) var evicted = 0
    /// The memory that the calls take, in bytes. It is an estimate.
    package private(set) var bytes = 0
    /// The calls that run.
    package private(set) var running: Set<UInt64> = []
    /// The calls that are kept until they are unpinned.
    package private(set) var pinned: Set<UInt64> = []
    /// The calls that were removed since the last ``takeRemoved()``.
    private var removed: [UInt64] = []
    private var calls: [UInt64: LoggedCall] = [:]
    /// The numbers of the calls, oldest first. Those before ``first`` are gone.
    private var order: [UInt64] = []
    private var first = 0

    package init(limit: Int, bodyLimit: Int) {
        self.limit = limit
        self.bodyLimit = bodyLimit
    }

    package var count: Int { calls.count }

    package subscript(id: UInt64) -> LoggedCall? { calls[id] }

    /// The numbers of all calls, in no certain order.
    var ids: ArraySlice<UInt64> { order[first...] }

    /// All calls, in no certain order.
    package var all: some Sequence<LoggedCall> { ids.lazy.compactMap { calls[$0] } }

    /// The calls with a higher number than this one, in the order of their numbers.
    package func calls(after id: UInt64, limit: Int) -> [LoggedCall] {
        order[first...].filter { $0 > id }.sorted().prefix(limit).compactMap { calls[$0] }
    }

    /// Adds an event. Events of calls that are not in the log are ignored, unless a call begins with it.
    /// - Parameters:
    ///   - client: the number of the client in the log.
    ///   - now: the time in milliseconds since 1970.
    /// - Returns: whether the log changed.
    @discardableResult
    package mutating func add(_ event: CallEvent, from client: UInt16 = 0, now: Double) -> Bool {
        let time = event.time.nanosecondsClamped
        if case .started(let request) = event.kind, calls[event.call] == nil {
            let call = LoggedCall(id: event.call, started: now - Double(time) / 1e6, request: request, client: client)
            calls[event.call] = call
            running.insert(event.call)
            order.append(event.call)
            bytes += call.size
        }
        guard let before = calls[event.call]?.size else { return false }
        calls[event.call]?.add(LoggedCall.Event(time: time, kind: event.kind), bodyLimit: bodyLimit)
        bytes += (calls[event.call]?.size ?? before) - before
        if event.kind.isFinal { running.remove(event.call) }
        if bytes > limit { shrink(to: limit) }
        return true
    }

    /// Removes all calls that have ended.
    package mutating func clear() {
        for id in order[first...] where calls[id]?.state != .running && !pinned.contains(id) { remove(id) }
        order = order[first...].filter { calls[$0] != nil }
        first = 0
    }

    /// Evicts the oldest calls that have ended until the others take no more than `limit` bytes.
    package mutating func shrink(to limit: Int) {
        // Only running and pinned calls are left.
        let kept = running.count + pinned.count { !running.contains($0) }
        guard calls.count > kept else { return }
        // A call that is kept moves to the end once, so the loop ends.
        var left = order.count - first
        while bytes > limit, left > 0 {
            let id = order[first]
            first += 1
            left -= 1
            if calls[id]?.state == .running || pinned.contains(id) {
                order.append(id)
            } else if calls[id] != nil {
                remove(id)
                evicted += 1
            }
        }
        if first > 1024, first > order.count / 2 {
            order.removeFirst(first)
            first = 0
        }
    }

    /// The most calls that can be pinned at once.
    package static let mostPinned = 100

    /// Keeps a call when others are evicted or cleared, or keeps it no longer.
    /// - Returns: whether the call is there, and the pinned calls leave room for others.
    package mutating func pin(_ id: UInt64, _ isPinned: Bool) -> Bool {
        guard let call = calls[id] else { return false }
        guard isPinned else {
            pinned.remove(id)
            return true
        }
        let taken = pinned.reduce(call.size) { $0 + (calls[$1]?.size ?? 0) }
        guard pinned.count < Self.mostPinned, taken <= limit / 2 else { return false }
        pinned.insert(id)
        return true
    }

    /// Marks bodies as cut that another program has cut.
    mutating func markCut(_ id: UInt64, _ cut: (request: Bool, response: Bool)) {
        if cut.request || cut.response { calls[id]?.markCut(cut) }
    }

    private mutating func remove(_ id: UInt64) {
        guard let call = calls.removeValue(forKey: id) else { return }
        bytes -= call.size
        removed.append(id)
    }

    /// The numbers of the calls that were removed since the last time.
    package mutating func takeRemoved() -> [UInt64] {
        defer { removed = [] }
        return removed
    }
}
