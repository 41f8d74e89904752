// PollPoller: poll(2), the portable form.

internal import TsubamePlatform

/// poll(2) reports a state for as long as it lasts. So a state that was reported is not asked for until it is armed again.
/// The end of a connection is reported whether it is asked for or not. So after such a report the descriptor is left out.
// Only `wake` may be called off the loop's thread, and it uses descriptors that never change.
final class PollPoller: Poller, @unchecked Sendable {
    private struct Watch {
        let descriptor: Int32
        let member: MemberID
    }

    private let wakeUpPipe: (reading: Int32, writing: Int32)
    /// The wake-up pipe, and then one for each of `watches`. A negative descriptor is left out.
    private var polled: [pollfd]
    private var watches: [Watch] = []
    private var positions: [Int32: Int] = [:]
    /// The members that a wait reports are copied first, because a report may add and remove some.
    private var reports: [(MemberID, Readiness)] = []

    init() throws(SocketError) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { Self.makePipe($0.assumingMemoryBound(to: Int32.self)) }
        wakeUpPipe = (ends.0, ends.1)
        polled = [pollfd(fd: ends.0, events: Int16(POLLIN), revents: 0)]
        guard result == 0 else { throw .last(.poll) }
        #if canImport(Darwin)
        for end in [wakeUpPipe.reading, wakeUpPipe.writing] {
            guard fcntl(end, F_SETFD, FD_CLOEXEC) == 0, fcntl(end, F_SETFL, O_NONBLOCK) == 0 else { throw .last(.poll) }
        }
        #endif
    }

    /// A program that another thread starts meanwhile must not inherit the ends. On Apple's systems that can be said only
    /// afterwards. Elsewhere a pair of sockets is made so at once, and serves as a pipe.
    private static func makePipe(_ ends: UnsafeMutableBufferPointer<Int32>) -> Int32 {
        #if canImport(Darwin)
        pipe(ends.baseAddress)
        #else
        socketpair(AF_UNIX, Socket.type, 0, ends.baseAddress)
        #endif
    }

    deinit {
        for end in [wakeUpPipe.reading, wakeUpPipe.writing] where end >= 0 { close(end) }
    }

    func add(_ descriptor: Int32, _ member: MemberID) throws(SocketError) {
        positions[descriptor] = watches.count
        watches.append(Watch(descriptor: descriptor, member: member))
        polled.append(pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0))
    }

    func remove(_ descriptor: Int32) {
        guard let position = positions.removeValue(forKey: descriptor) else { return }
        let last = watches.count - 1
        if position < last {
            watches.swapAt(position, last)
            polled.swapAt(position + 1, last + 1)
            positions[watches[position].descriptor] = position
        }
        watches.removeLast()
        polled.removeLast()
    }

    func arm(_ descriptor: Int32, _ states: Readiness) {
        guard let position = positions[descriptor] else { return }
        polled[position + 1].fd = descriptor
        if states.contains(.readable) { polled[position + 1].events |= Int16(POLLIN) }
        if states.contains(.writable) { polled[position + 1].events |= Int16(POLLOUT) }
    }

    func wait(milliseconds: Int32, _ report: (MemberID, Readiness) -> Void) -> Bool {
        let count = poll(&polled, nfds_t(polled.count), milliseconds)
        if count < 0, errno != EINTR { rest() }
        guard count > 0 else { return true }
        if polled[0].revents != 0 { drainWakeUps() }
        for position in watches.indices where polled[position + 1].revents != 0 {
            let flags = Int32(polled[position + 1].revents)
            let isBroken = flags & Int32(POLLHUP | POLLERR | POLLNVAL) != 0
            var readiness: Readiness = []
            if isBroken { readiness.formUnion([.readable, .writable, .ended]) }
            if flags & Int32(POLLIN) != 0 { readiness.insert(.readable) }
            if flags & Int32(POLLOUT) != 0 { readiness.insert(.writable) }
            if readiness.contains(.readable) { polled[position + 1].events &= ~Int16(POLLIN) }
            if readiness.contains(.writable) { polled[position + 1].events &= ~Int16(POLLOUT) }
            if isBroken { polled[position + 1].fd = -1 }
            reports.append((watches[position].member, readiness))
        }
        for (member, readiness) in reports { report(member, readiness) }
        reports.removeAll(keepingCapacity: true)
        return true
    }

    private func drainWakeUps() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while SystemCall.read(wakeUpPipe.reading, into: buffer) > 0 {}
        }
    }

    func wake() {
        var one: UInt8 = 1
        _ = withUnsafeBytes(of: &one) { SystemCall.write(wakeUpPipe.writing, $0) }
    }
}
