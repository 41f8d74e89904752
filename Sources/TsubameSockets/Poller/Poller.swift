// Poller: tells which sockets of a loop are ready.

internal import TsubamePlatform

/// One way to ask the system which sockets are ready. All of it but ``wake()`` belongs to the loop's thread.
///
/// A state is reported once. After a read or a write that would block, the owner arms the socket again, and the next report
/// comes when the state does. A poller may report a state that is not armed: the owner ignores it, but remembers that it may
/// read. A socket that is not armed costs nothing, whatever its peer does.
package protocol Poller: AnyObject, Sendable {
    /// Watches a descriptor, armed for reading and writing.
    func add(_ descriptor: Int32, _ member: MemberID) throws(SocketError)
    /// Stops to watch a descriptor, which is still open.
    func remove(_ descriptor: Int32)
    /// Asks for the next report of these states.
    func arm(_ descriptor: Int32, _ states: Readiness)
    /// Waits for reports, for the given time or until ``wake()``.
    /// - Parameter milliseconds: 0 for not at all, -1 for no limit.
    func wait(milliseconds: Int32, _ report: (MemberID, Readiness) -> Void)
    /// Ends the wait that runs, or the next one. Any thread may call this.
    func wake()
}

/// The pollers of this system.
package enum PollerKind: String, Sendable, CaseIterable {
    /// Edge-triggered; Linux.
    case epoll
    /// The portable form. Each wait costs as much as there are sockets, so it serves where nothing better is proven.
    case poll

    /// The best one that is proven on this system.
    package static var standard: PollerKind {
        #if os(Linux) || os(Android)
        .epoll
        #else
        .poll
        #endif
    }

    /// Whether this system has it.
    package var isAvailable: Bool { self == .poll || Self.standard == self }

    package func makePoller() throws(SocketError) -> any Poller {
        #if os(Linux) || os(Android)
        if self == .epoll { return try EpollPoller() }
        #endif
        return try PollPoller()
    }
}
