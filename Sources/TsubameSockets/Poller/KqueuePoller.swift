// KqueuePoller: kqueue(2), edge-triggered. It has been type-checked, and has never run.

#if canImport(Darwin) && _pointerBitWidth(_64)
internal import TsubamePlatform

/// A descriptor is registered once for each direction, and once for urgent data. Arming costs nothing, because a report
/// comes with every change (`EV_CLEAR`). The system forgets a descriptor when it is closed.
// Only `wake` may be called off the loop's thread, and it uses a descriptor that never changes.
final class KqueuePoller: Poller, @unchecked Sendable {
    /// The reports of one wait.
    private static let capacity = 256
    /// The identity of the wake-up's own registration. Its reports name no member.
    private static let wakeUp: UInt = 0

    private let queue: Int32
    private let events = UnsafeMutablePointer<kevent>.allocate(capacity: KqueuePoller.capacity)

    init() throws(SocketError) {
        queue = kqueue()
        // On an error below, `deinit` closes the queue.
        guard queue >= 0, fcntl(queue, F_SETFD, FD_CLOEXEC) == 0 else { throw .last(.poll) }
        try change(Self.wakeUp, EVFILT_USER, EV_ADD | EV_CLEAR)
    }

    deinit {
        if queue >= 0 { close(queue) }
        events.deallocate()
    }

    private func change(
        _ identity: UInt, _ filter: Int32, _ flags: Int32, _ details: Int32 = 0, _ bits: UInt64 = 0
    ) throws(SocketError) {
        var change = kevent()
        change.ident = identity
        change.filter = Int16(filter)
        change.flags = UInt16(flags)
        change.fflags = UInt32(details)
        change.udata = UnsafeMutableRawPointer(bitPattern: UInt(bits))
        while kevent(queue, &change, 1, nil, 0, nil) < 0 {
            guard errno == EINTR else { throw .last(.poll) }
        }
    }

    func add(_ descriptor: Int32, _ member: MemberID) throws(SocketError) {
        let identity = UInt(descriptor)
        try change(identity, EVFILT_READ, EV_ADD | EV_CLEAR, 0, member.bits)
        try change(identity, EVFILT_WRITE, EV_ADD | EV_CLEAR, 0, member.bits)
        // A read stops before urgent data although more may follow.
        try change(identity, EVFILT_EXCEPT, EV_ADD | EV_CLEAR, NOTE_OOB, member.bits)
    }

    func remove(_ descriptor: Int32) {
        for filter in [EVFILT_READ, EVFILT_WRITE, EVFILT_EXCEPT] {
            try? change(UInt(descriptor), filter, EV_DELETE)
        }
    }

    func arm(_ descriptor: Int32, _ states: Readiness) {}

    /// One for each filter.
    var reportsPerMember: Int { 3 }

    func wait(milliseconds: Int32, _ report: (MemberID, Readiness) -> Void) -> Bool {
        var limit = timespec(tv_sec: Int(milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
        // An interrupted wait reports nothing; the loop's next turn waits again.
        let count =
            milliseconds < 0
            ? kevent(queue, nil, 0, events, Int32(Self.capacity), nil)
            : kevent(queue, nil, 0, events, Int32(Self.capacity), &limit)
        if count < 0, errno != EINTR { rest() }
        var index = 0
        while index < count {
            let event = events[index]
            index += 1
            // The wake-up is edge-triggered, so nothing has to be reset.
            guard let member = event.udata, let states = Self.readiness(event) else { continue }
            report(MemberID(bits: UInt64(UInt(bitPattern: member))), states)
        }
        return count < Self.capacity
    }

    /// - Returns: nil if the report says nothing new.
    private static func readiness(_ event: kevent) -> Readiness? {
        let hasEnded = Int32(event.flags) & (EV_EOF | EV_ERROR) != 0
        switch Int32(event.filter) {
        // The end of the writing direction is that of the connection.
        case EVFILT_WRITE: return hasEnded ? [.readable, .writable, .ended] : .writable
        // This filter reports ordinary bytes as well.
        case EVFILT_EXCEPT: return Int32(event.fflags) & NOTE_OOB != 0 ? [.readable, .ended] : nil
        // The details of the end are the error of the socket.
        default:
            return !hasEnded ? .readable : event.fflags == 0 ? [.readable, .ended] : [.readable, .writable, .ended]
        }
    }

    func wake() { try? change(Self.wakeUp, EVFILT_USER, 0, NOTE_TRIGGER) }
}
#endif
