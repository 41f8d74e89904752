// HTTP2Stream: one exchange on an HTTP/2 connection, and the table of the running streams (RFC 9113 section 5.1).

import TsubameCore

/// Identifies a running stream. Running streams have different slots, counted from 0. A free slot is used again.
package struct HTTP2Stream: Sendable, Hashable {
    package let id: UInt32
    package let slot: Int
}

/// The state of a stream in a session.
struct HTTP2StreamState {
    enum Expected: UInt8 {
        /// A head, possibly after informational ones.
        case head
        /// DATA, or trailers.
        case body
        /// Nothing, because the peer has ended the stream.
        case nothing
    }

    /// 0 if the slot is free.
    var id: UInt32 = 0
    var expected = Expected.head
    /// The request's method is HEAD. No body follows, independent of the head.
    var isHead = false
    var isBodiless = false
    /// The client has ended its side.
    var hasEnded = false
    var isPaused = false
    var informationals = 0
    /// The remaining bytes of a body with a Content-Length; -1 without one.
    var remaining: Int64 = -1
    /// The number of bytes that can be sent. It is below 0 after the peer has reduced its window.
    var sendWindow = 0
    var window = HTTP2StreamWindow()
    var limits = Limits()
}

/// The running streams. The lower bits of a stream's number select its place. Numbers whose place is taken are skipped,
/// which RFC 9113 section 5.1.1 allows.
struct HTTP2StreamTable {
    /// Indexed by slot.
    private(set) var states: [HTTP2StreamState] = []
    private var free: [Int] = []
    /// Indexed by the lower bits of a number: the slot plus 1, or 0.
    private var places = [Int](repeating: 0, count: 64)
    private(set) var count = 0
    /// The highest number that was used.
    private(set) var last: UInt32

    /// - Parameter last: numbers up to this one count as used.
    init(after last: UInt32 = 0) { self.last = last }

    @inline(__always)
    private func place(_ id: UInt32) -> Int { Int(id &>> 1) & (places.count &- 1) }

    /// Whether the numbers are almost used up.
    var isExhausted: Bool { last >= 0x7FFF_0000 }

    /// - Returns: the new stream; nil if all numbers were used.
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

    /// Numbers with different places in a smaller table have different places in a larger one, too.
    private mutating func grow() {
        places = [Int](repeating: 0, count: places.count * 2)
        for slot in states.indices where states[slot].id != 0 { places[place(states[slot].id)] = slot &+ 1 }
    }

    @inline(__always)
    func find(_ id: UInt32) -> HTTP2Stream? {
        let slot = places[place(id)] &- 1
        return slot >= 0 && states[slot].id == id ? HTTP2Stream(id: id, slot: slot) : nil
    }

    /// Whether the stream still runs.
    @inline(__always)
    func contains(_ stream: HTTP2Stream) -> Bool {
        states.indices.contains(stream.slot) && states[stream.slot].id == stream.id
    }

    /// - Parameter stream: a running stream.
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
