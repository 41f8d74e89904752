// CallEvent: everything that happens to a call, as one stream.

/// One thing that happened to a call.
///
/// ```swift
/// let observation = client.observe { event in print(event) }
/// ```
/// Progress, metrics, logs and notifications are all readers of this stream. Every call ends with exactly one of
/// ``Kind/finished(_:)``, ``Kind/failed(_:)`` and ``Kind/cancelled``. Byte events come at most every 50 ms, and one at
/// the end.
public struct CallEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// `send` was called with this request.
        case started(Request)
        /// The exchange waits for a connection.
        case queued
        /// The name of the host is being looked up; behind a proxy, that of the proxy.
        case resolving(host: String)
        /// The host has these addresses, as the resolver gave them.
        case resolved(addresses: [String])
        /// A TCP connection to one of them is being made.
        case connecting(address: String)
        /// The way to the origin stands: TCP, and the tunnel of a proxy, if there is one.
        case connected(ConnectionInfo)
        /// The TLS handshake with the origin has begun.
        case securing
        /// The TLS handshake with the origin is done.
        case secured(ConnectionInfo)
        /// An open connection was taken from the pool.
        case reused(ConnectionInfo)
        /// The request's head went to the socket: this request, with every field.
        case sent(Request)
        /// The request's body on its way.
        case sending(Progress)
        /// A 1xx response.
        case informational(status: Int, ReceivedFields)
        /// The head of a response is there, one that is redirected included.
        case headReceived(Response)
        /// The response's body on its way, as received, before decoding.
        case receiving(Progress)
        /// The first bytes of the request's body as they went out, once it has; for observers that ask for bodies.
        case requestBody(Bytes)
        /// The first bytes of the response's body as they came, before decoding, once it has ended; for observers that
        /// ask for bodies.
        case responseBody(Bytes)
        /// The call sends again: why, and after how long.
        case resending(Request, why: ResendReason, after: Duration)
        /// What the cache decided, and why.
        case caching(String)
        /// Something that was decided on the way, such as a redirect that is not followed.
        case decision(String)
        /// The call ended with this response, whatever its status.
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
    }

    /// Which call; counts up within the process.
    public let call: UInt64
    /// Since the start of the call.
    public let time: Duration
    /// What happened.
    public let kind: Kind

    package init(call: UInt64, time: Duration, kind: Kind) {
        self.call = call
        self.time = time
        self.kind = kind
    }
}

/// How much of a body has gone its way.
public struct Progress: Sendable, Hashable {
    /// Bytes so far.
    public var bytes: Int64
    /// Bytes in all; nil when that is not known.
    public var total: Int64?

    /// So many bytes of so many.
    public init(bytes: Int64, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// From 0 to 1; nil when the total is not known.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? Double(bytes) / Double(total) : 1
    }
}
