// EpollPoller: epoll(7), edge-triggered.

#if os(Linux) || os(Android)
internal import CEpoll
internal import TsubamePlatform

/// A descriptor is registered once, for both directions. Arming costs nothing, because an edge-triggered report comes with
/// every change.
// Only `wake` may be called off the loop's thread, and it uses descriptors that never change.
final class EpollPoller: Poller, @unchecked Sendable {
    /// The flags of `epoll_event.events`. The C libraries disagree about their types, but not about their values.
    private enum Flag {
        static let readable: UInt32 = 0x001
        /// Urgent data of TCP. A read stops before it although more may follow.
        static let urgent: UInt32 = 0x002
        static let writable: UInt32 = 0x004
        static let error: UInt32 = 0x008
        static let hangUp: UInt32 = 0x010
        static let peerEnded: UInt32 = 0x2000
        static let edgeTriggered: UInt32 = 1 << 31
    }

    /// The reports of one wait.
    private static let capacity = 256
    /// The wake-up's own registration, which no member has: generations begin at 1.
    private static let wakeUp: UInt64 = 0

    private let queue: Int32
    private let wakeUpDescriptor: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: EpollPoller.capacity)

    init() throws(SocketError) {
        queue = epoll_create1(Int32(O_CLOEXEC))
        wakeUpDescriptor = queue < 0 ? -1 : eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
        // On an error below, `deinit` closes whichever of the two is open.
        guard wakeUpDescriptor >= 0 else { throw .last(.poll) }
        try control(EPOLL_CTL_ADD, wakeUpDescriptor, Flag.readable | Flag.edgeTriggered, Self.wakeUp)
    }

    deinit {
        if wakeUpDescriptor >= 0 { close(wakeUpDescriptor) }
        if queue >= 0 { close(queue) }
        events.deallocate()
    }

    private func control(_ change: Int32, _ descriptor: Int32, _ flags: UInt32, _ bits: UInt64) throws(SocketError) {
        var event = epoll_event()
        event.events = flags
        event.data.u64 = bits
        guard epoll_ctl(queue, change, descriptor, &event) == 0 else { throw .last(.poll) }
    }

    func add(_ descriptor: Int32, _ member: MemberID) throws(SocketError) {
        let flags = Flag.readable | Flag.urgent | Flag.writable | Flag.peerEnded | Flag.edgeTriggered
        try control(EPOLL_CTL_ADD, descriptor, flags, member.bits)
    }

    func remove(_ descriptor: Int32) { try? control(EPOLL_CTL_DEL, descriptor, 0, 0) }

    func arm(_ descriptor: Int32, _ states: Readiness) {}

    func wait(milliseconds: Int32, _ report: (MemberID, Readiness) -> Void) -> Bool {
        // An interrupted wait reports nothing; the loop's next turn waits again.
        let count = epoll_wait(queue, events, Int32(Self.capacity), milliseconds)
        if count < 0, errno != EINTR { rest() }
        var index = 0
        while index < count {
            let event = events[index]
            index += 1
            // The wake-up descriptor is edge-triggered, so its count need not be read.
            if event.data.u64 == Self.wakeUp { continue }
            report(MemberID(bits: event.data.u64), Self.readiness(event.events))
        }
        return count < Self.capacity
    }

    private static func readiness(_ flags: UInt32) -> Readiness {
        var readiness: Readiness = []
        if flags & Flag.readable != 0 { readiness.insert(.readable) }
        if flags & Flag.writable != 0 { readiness.insert(.writable) }
        if flags & (Flag.urgent | Flag.peerEnded | Flag.hangUp | Flag.error) != 0 {
            readiness.formUnion([.readable, .ended])
        }
        // A broken connection lets a writer go on, whose write then fails.
        if flags & (Flag.hangUp | Flag.error) != 0 { readiness.insert(.writable) }
        return readiness
    }

    func wake() {
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { SystemCall.write(wakeUpDescriptor, $0) }
    }
}
#endif
