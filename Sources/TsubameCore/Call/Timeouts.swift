// Timeouts: how long each part of a call may take.

import TsubamePlatform

/// The timeouts of a call. Each one is enforced for every method, also below one second. The error names the timeout
/// that passed.
/// ```swift
/// let api = Client(base) { $0.timeouts.total = .seconds(20) } // for every call of a client
/// request.timeouts.idle = .milliseconds(500)                  // for one request; what is not set is the client's
/// ```
/// `nil` means no timeout. A timeout that is not set on a request is the client's.
public struct Timeouts: Sendable, Hashable {
    /// The names of the timeouts, as errors show them.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        /// The timeout of the same name in ``Timeouts``.
        case connect, tls, pool, head, idle, total
    }

    /// In nanoseconds; `never` for none. For an array, each call and each deadline would count a reference.
    private struct Values: Sendable, Hashable {
        var connect: UInt64 = 10_000_000_000
        var tls: UInt64 = 10_000_000_000
        var pool: UInt64 = 30_000_000_000
        var head: UInt64 = 60_000_000_000
        var idle: UInt64 = 60_000_000_000
        var total = MonotonicClock.never

        subscript(name: Name) -> UInt64 {
            get {
                switch name {
                case .connect: connect
                case .tls: tls
                case .pool: pool
                case .head: head
                case .idle: idle
                case .total: total
                }
            }
            set {
                switch name {
                case .connect: connect = newValue
                case .tls: tls = newValue
                case .pool: pool = newValue
                case .head: head = newValue
                case .idle: idle = newValue
                case .total: total = newValue
                }
            }
        }
    }

    private var values = Values()
    /// One bit for each name.
    private var chosen: UInt8 = 0

    /// No timeout is set: all of them are the client's.
    public init() {}

    private static func bit(_ name: Name) -> UInt8 {
        switch name {
        case .connect: 1
        case .tls: 2
        case .pool: 4
        case .head: 8
        case .idle: 16
        case .total: 32
        }
    }

    private subscript(name: Name) -> Duration? {
        get {
            let value = nanoseconds(name)
            return value == MonotonicClock.never ? nil : .nanoseconds(clamping: value)
        }
        set {
            values[name] = newValue?.nanosecondsClamped ?? MonotonicClock.never
            chosen |= Self.bit(name)
        }
    }

    /// The time to open the path to the origin, 10 s by default. It covers the look-up of the name and a TCP connection
    /// over all addresses. It also covers the exchange with a proxy, including TLS to the proxy.
    public var connect: Duration? {
        get { self[.connect] }
        set { self[.connect] = newValue }
    }
    /// The time for the TLS handshake, 10 s by default.
    public var tls: Duration? {
        get { self[.tls] }
        set { self[.tls] = newValue }
    }
    /// The time to wait for a free connection, 30 s by default.
    public var pool: Duration? {
        get { self[.pool] }
        set { self[.pool] = newValue }
    }
    /// The time from the end of the request to the end of the response's head, 60 s by default.
    public var head: Duration? {
        get { self[.head] }
        set { self[.head] = newValue }
    }
    /// The longest time without a byte sent or received while a body is on its way, 60 s by default.
    public var idle: Duration? {
        get { self[.idle] }
        set { self[.idle] = newValue }
    }
    /// The time from `send` to the last byte of the body, including redirects, retries and waiting. By default there is
    /// no limit, except for `send` and `stream` of a blocking client, which have 60 s.
    public var total: Duration? {
        get { self[.total] }
        set { self[.total] = newValue }
    }

    /// The timeout in nanoseconds; `never` for none.
    package func nanoseconds(_ name: Name) -> UInt64 { values[name] }

    package func isSet(_ name: Name) -> Bool { chosen & Self.bit(name) != 0 }

    package var isUnset: Bool { chosen == 0 }

    /// The timeouts that are set here, and the others from `base`.
    package func merged(over base: Timeouts) -> Timeouts {
        guard !isUnset else { return base }
        var merged = base
        for name in Name.allCases where isSet(name) { merged[name] = self[name] }
        return merged
    }
}
