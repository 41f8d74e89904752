// Poller: tells which sockets of a loop are ready.

internal import TsubamePlatform

/// One way to ask the system which sockets are ready. All of it but ``wake()`` belongs to the loop's thread.
///
/// A state is reported once. After a read or a write that would block, the owner arms the socket again, and the next report
/// comes when the state does. A poller may report a state that is not armed: the owner ignores it, but remembers that it may
/// read. A socket that is not armed costs nothing.
package protocol Poller: AnyObject, Sendable {
    /// Watches a descriptor, armed for reading and writing.
    func add(_ descriptor: Int32, _ member: MemberID) throws(SocketError)
    /// Stops to watch a descriptor, which is still open.
    func remove(_ descriptor: Int32)
    /// Asks for the next report of these states.
    func arm(_ descriptor: Int32, _ states: Readiness)
    /// Waits for reports, for the given time or until ``wake()``.
    /// - Parameter milliseconds: 0 for not at all, -1 for no limit.
    /// - Returns: whether every socket that was ready has been reported. Those that are left come first in the next wait.
    func wait(milliseconds: Int32, _ report: (MemberID, Readiness) -> Void) -> Bool
    /// How often one wait may report a socket that is ready.
    var reportsPerMember: Int { get }
    /// Ends the wait that runs, or the next one. Any thread may call this.
    func wake()
}

/// The kinds of pollers. Only some systems have epoll or kqueue.
package enum PollerKind: String, Sendable, CaseIterable {
    /// Edge-triggered; Linux.
    case epoll
    /// Edge-triggered; Apple's systems. It is not ``standard`` there until it has been proven.
    case kqueue
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
    package var isAvailable: Bool {
        switch self {
        case .epoll:
            #if os(Linux) || os(Android)
            true
            #else
            false
            #endif
        case .kqueue:
            #if canImport(Darwin) && _pointerBitWidth(_64)
            true
            #else
            false
            #endif
        case .poll: true
        }
    }

    /// - Throws: ``SocketError`` if the process may open no more descriptors, or if this system does not have the kind.
    package func makePoller() throws(SocketError) -> any Poller {
        switch self {
        #if os(Linux) || os(Android)
        case .epoll: try EpollPoller()
        #endif
        #if canImport(Darwin) && _pointerBitWidth(_64)
        case .kqueue: try KqueuePoller()
        #endif
        case .poll: try PollPoller()
        default: throw SocketError(.poll, ENOTSUP)
        }
    }
}

extension Poller {
    package var reportsPerMember: Int { 1 }

    /// Waits a little after the system's wait failed: other code has closed a descriptor of this poller, or the system takes
    /// no more of them. Without the rest the loop would turn without a pause.
    func rest() { _ = poll(nil, 0, 10) }
}
