// RequestFraming: how one version of HTTP puts a request on its connection; and the carrier of an exchange.

import NIOCore
import TsubameCore
import TsubamePlatform

/// A connection of HTTP/1.1, or a stream of one of HTTP/2, on which an exchange runs. Confined to its loop.
protocol ExchangeCarrier: AnyObject {
    /// Whether one read of the connection may bring pieces of several bodies.
    var sharesReads: Bool { get }
    /// The exchange has ended otherwise (cancelled, timed out): nothing of it may be left on the wire.
    func abandon(_ exchange: Exchange)
    /// The reader of the body has made room.
    func resumeReading(for exchange: Exchange)
    /// The bytes of the body that its reader receives by itself, and has not told of.
    var lentBytes: Int64 { get }
}

extension ExchangeCarrier {
    var lentBytes: Int64 { 0 }
}

/// Frames a request for a ``RequestSender``. None of these functions ends the exchange: a connection that breaks says so
/// later.
protocol RequestFraming: AnyObject {
    /// Sends the head that has been encoded, and the body that goes with it.
    /// - Returns: false if the connection has broken.
    func sendHead(_ plan: SendingPlan) -> Bool
    /// Sends a small body that was held back.
    func sendHeldBody(_ body: Bytes)
    /// Whether the connection takes more of the body now. ``BodySender/becameWritable()`` tells when it does again.
    var takesBody: Bool { get }
    /// - Parameter promise: succeeds when the socket has them.
    func send(_ pieces: [Bytes], promise: EventLoopPromise<Void>)
    /// - Parameter promise: succeeds when the socket has all of it, so before the answer to it can be read.
    func send(_ end: BodySender.End, promise: EventLoopPromise<Void>)
    /// The body goes out from now on, or bytes of it have moved: its idle time starts anew.
    func bodyMoved(at now: MonotonicTime)
    /// The socket has all of the body, after the answer has begun: from now on only bytes of the answer move.
    func bodyEnded(at now: MonotonicTime)
    /// Sets the next limit of the exchange that is sent.
    func setDeadline(_ name: Timeouts.Name?, from now: MonotonicTime)
    /// Gives the socket what has gathered.
    func flush()
}
