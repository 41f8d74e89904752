// CallEvent: one event of a call. Every observer reads the one stream of these events.

/// One thing that happened to a call.
///
/// ```swift
/// let observation = client.observe { event in print(event) }
/// ```
/// Progress, metrics, logs and notifications are all readers of the client's one stream of events. Every call ends with
/// exactly one of ``Kind/finished(_:)``, ``Kind/failed(_:)`` and ``Kind/cancelled``. The events ``Kind/sending(_:)``
/// and ``Kind/receiving(_:)`` come at most every 50 ms, and once at the end.
public struct CallEvent: Sendable {
    /// The kinds of event, each with its values.
    public enum Kind: Sendable {
        /// `send` was called with this request.
        case started(Request)
        /// The exchange waits for a connection, because no open one can carry it. The text names the reason.
        case queued(why: String)
        /// The host's name is being resolved; with a proxy, the proxy's name.
        case resolving(host: String)
        /// The resolver returned these addresses, in this order.
        case resolved(addresses: [String])
        /// A TCP connection to one of the addresses is being made.
        case connecting(address: String)
        /// The path to the origin is open: the TCP connection, and the tunnel through a proxy if there is one.
        case connected(ConnectionInfo)
        /// The TLS handshake with the origin has begun.
        case securing
        /// The TLS handshake with the origin is done.
        case secured(ConnectionInfo)
        /// An open connection was taken from the pool.
        case reused(ConnectionInfo)
        /// The request's head was handed to the socket: this request, with every field.
        case sent(Request)
        /// Bytes of the request's body were sent.
        case sending(TransferProgress)
        /// A 1xx response.
        case informational(status: Int, ReceivedFields)
        /// The head of a response arrived, without its body. A response that is redirected counts too.
        case headReceived(Response)
        /// Bytes of the response's body arrived, counted before decoding.
        case receiving(TransferProgress)
        /// The next bytes of the request's body that are sent, and the number of bytes before them. Only observers that
        /// ask for bodies receive this event, up to the number of bytes that they ask for. A body that is sent again
        /// begins at 0 again. An empty body has one event without bytes.
        case requestBody(Bytes, at: Int)
        /// The next bytes of the response's body as they arrived, before decoding, and the number of bytes before them.
        /// Otherwise as ``requestBody(_:at:)``.
        case responseBody(Bytes, at: Int)
        /// The call sends this request again, for the given reason and after the given delay.
        case resending(Request, why: ResendReason, after: Duration)
        /// The cache made a decision. The text names the decision and its reason.
        case caching(String)
        /// The client made another decision, such as not to follow a redirect.
        case decision(String)
        /// The call ended with this response, which may have any status.
        case finished(Response)
        /// The call failed.
        case failed(CallError)
        /// The call was cancelled.
        case cancelled

        /// Whether this is a call's last event.
        public var isFinal: Bool {
            switch self {
            case .finished, .failed, .cancelled: true
            default: false
            }
        }

        /// Whether only observers that ask for bodies receive it.
        var isBody: Bool {
            switch self {
            case .requestBody, .responseBody: true
            default: false
            }
        }
    }

    /// The number of the call, which counts up within the process.
    public let call: UInt64
    /// The time since the start of the call.
    public let time: Duration
    /// The event with its values.
    public let kind: Kind

    package init(call: UInt64, time: Duration, kind: consuming Kind) {
        self.call = call
        self.time = time
        self.kind = kind
    }
}
