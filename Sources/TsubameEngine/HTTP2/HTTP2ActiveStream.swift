// HTTP2ActiveStream: where an exchange runs on an HTTP/2 connection.

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

/// An exchange that runs, and what is still to be sent of it. There is one for each slot of the session's, used again and
/// again. Confined to its connection's loop.
final class HTTP2ActiveStream {
    var exchange: Exchange?
    var stream: HTTP2Stream
    /// Nothing ran on the connection when it was begun, and something had before.
    var wasIdle = false
    /// It was begun before the server had said how many streams it allows.
    var isEarly = false
    var due = MonotonicClock.never
    var limit = Timeouts.Name.head
    var sender: BodySender?
    var outgoing: HTTP2BodyQueue?
    /// Until the server has asked for the body that follows `Expect: 100-continue`.
    var held: Scheduled<Void>?

    init(_ stream: HTTP2Stream) { self.stream = stream }
}
