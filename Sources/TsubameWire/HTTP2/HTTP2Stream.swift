// HTTP2Stream: one exchange on an HTTP/2 connection, and the table of those that run (RFC 9113 section 5.1).

import TsubameCore

/// Names a stream that runs. Slots are used again: of all streams that run, each has its own, counted from 0.
package struct HTTP2Stream: Sendable, Hashable {
    package let id: UInt32
    package let slot: Int
}

/// What the session knows of a stream.
struct HTTP2StreamState {
    enum Expected: UInt8 {
        /// A head, after none or some informational ones.
        case head
        /// DATA, or trailers.
        case body
        /// Nothing: the peer has ended it.
        case nothing
    }

    /// 0 if the slot is free.
    var id: UInt32 = 0
    var expected = Expected.head
    /// Whatever the head says, no body follows.
    var isHead = false
    var isBodiless = false
    /// Our side has been ended.
    var hasEnded = false
    var isPaused = false
    var informationals = 0
    /// Of a Content-Length; -1 without one.
    var remaining: Int64 = -1
    /// What may be sent; below 0 after the peer has made its window smaller.
    var sendWindow = 0
    /// What the peer may still send, and what it has sent since it was last given more.
    var receiveWindow = 0
    var uncredited = 0
    var limits = Limits()
}

/// The streams that run. A number's place is its lower bits; numbers whose place is taken are left out, as they may be (RFC
/// 9113 section 5.1.1).
struct HTTP2StreamTable {
    /// By slot.
    private(set) var states: [HTTP2StreamState] = []
    private var free: [Int] = []
    /// By a number's lower bits: its slot and 1, or 0.
    private var places = [Int](repeating: 0, count: 64)
    private(set) var count = 0
    /// The highest number that has been used.
    private(set) var last: UInt32

    /// - Parameter last: up to which numbers count as used.
    init(after last: UInt32 = 0) { self.last = last }

    @inline(__always)
    private func place(_ id: UInt32) -> Int { Int(id &>> 1) & (places.count &- 1) }

    /// Whether the numbers are about to run out.
    var isExhausted: Bool { last >= 0x7FFF_0000 }

    /// - Returns: nil if all numbers have been used.
    mutating func add(_ state: HTTP2StreamState) -> HTTP2Stream? {
        if count >= places.count / 2 { grow() }
        var id = last == 0 ? 1 : last &+ 2
        // At least half of the places are free.
        while places[place(id)] != 0 { id &+= 2 }
        guard id <= 0x7FFF_FFFF else { return nil }
        last = id
        let slot: Int
        if let free = free.popLast() {
            slot = free
            states[slot] = state
        } else {
            slot = states.count
            states.append(state)
        }
        states[slot].id = id
        places[place(id)] = slot &+ 1
        count &+= 1
        return HTTP2Stream(id: id, slot: slot)
    }

    /// Numbers whose places differ in a smaller table have different ones in a larger.
    private mutating func grow() {
        places = [Int](repeating: 0, count: places.count * 2)
        for slot in states.indices where states[slot].id != 0 { places[place(states[slot].id)] = slot &+ 1 }
    }

    @inline(__always)
    func find(_ id: UInt32) -> HTTP2Stream? {
        let slot = places[place(id)] &- 1
        return slot >= 0 && states[slot].id == id ? HTTP2Stream(id: id, slot: slot) : nil
    }

    /// Whether it still runs.
    @inline(__always)
    func contains(_ stream: HTTP2Stream) -> Bool {
        states.indices.contains(stream.slot) && states[stream.slot].id == stream.id
    }

    /// - Parameter stream: one that runs.
    subscript(_ stream: HTTP2Stream) -> HTTP2StreamState {
        get { states[stream.slot] }
        _modify { yield &states[stream.slot] }
    }

    mutating func remove(_ stream: HTTP2Stream) {
        guard contains(stream) else { return }
        places[place(stream.id)] = 0
        states[stream.slot].id = 0
        free.append(stream.slot)
        count &-= 1
    }

    mutating func widenAll(by difference: Int) throws(HTTP2Fault) {
        for slot in states.indices where states[slot].id != 0 {
            guard let window = HTTP2Settings.window(states[slot].sendWindow, widenedBy: difference) else {
                throw HTTP2Fault(
                    .flowControl, .invalid("the window of stream \(states[slot].id) is widened beyond 2^31 - 1"))
            }
            states[slot].sendWindow = window
        }
    }
}
