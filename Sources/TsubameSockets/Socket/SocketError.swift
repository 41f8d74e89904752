// SocketError: a system call on a socket that failed.

internal import TsubamePlatform

/// The failed operation and the system's reason. It is a trivial value, so that a failed read costs no allocation.
package struct SocketError: Error, Hashable, Sendable {
    package enum Operation: String, Sendable {
        case open = "open a socket"
        case connect, bind, read, write, shutdown
        case option = "set an option"
        case address = "read an address"
        case poll = "watch a socket"
        case start = "start a thread"
        /// Work for an event loop in a process that was forked after the loop was made.
        case use
    }

    package let operation: Operation
    /// The value of `errno`.
    package let code: Int32

    package init(_ operation: Operation, _ code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// The error of the system call that has just failed on this thread.
    package static func last(_ operation: Operation) -> SocketError { SocketError(operation, errno) }

    /// Whether the process or the system has no descriptor left. Another attempt succeeds once one was closed.
    package var isShortOfDescriptors: Bool { code == EMFILE || code == ENFILE }
}

extension SocketError: CustomStringConvertible {
    package var description: String {
        operation == .use
            ? "the process was forked after its first HTTP client was made"
            : "cannot \(operation.rawValue): \(String(cString: strerror(code)))"
    }
}
