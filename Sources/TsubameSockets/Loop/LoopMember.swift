// LoopMember: an object that an event loop tells about its socket and its deadline.

/// A connection, an attempt to connect, or a waiter. The loop keeps a member until it is removed, and calls it on the loop's
/// thread only.
package protocol LoopMember: AnyObject {
    /// The member's socket is ready. The member reads or writes until it would block, and then arms the socket again, or
    /// until it has used its budget, and then asks to be called again (``EventLoop/callAgain(_:)``).
    func ready(_ states: Readiness)
    /// The call that the member has asked for.
    func calledAgain()
    /// The member's deadline has passed, and is cleared.
    func deadlinePassed()
}

extension LoopMember {
    /// As if the socket were readable and writable.
    package func calledAgain() { ready([.readable, .writable]) }
}
