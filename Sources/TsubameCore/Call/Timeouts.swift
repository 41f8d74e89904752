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

    private var values: [UInt64]
    private var isSet: UInt8

    /// No timeout is set: all of them are the client's.
    public init() {
        values = []
        isSet = 0
    }

    private static let defaults: [UInt64] = [10, 10, 30, 60, 60].map { $0 * 1_000_000_000 } + [MonotonicClock.never]

    private static func index(_ name: Name) -> Int {
        switch name {
        case .connect: 0
        case .tls: 1
        case .pool: 2
        case .head: 3
        case .idle: 4
        case .total: 5
        }
    }

    private subscript(name: Name) -> Duration? {
        get {
            let value = nanoseconds(name)
            return value == MonotonicClock.never ? nil : .nanoseconds(clamping: value)
        }
        set {
            if values.isEmpty { values = Self.defaults }
            values[Self.index(name)] = newValue?.nanosecondsClamped ?? MonotonicClock.never
            isSet |= 1 << UInt8(Self.index(name))
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
    /// no limit, except for blocking calls, which have 60 s.
    public var total: Duration? {
        get { self[.total] }
        set { self[.total] = newValue }
    }

    /// The timeout in nanoseconds; `never` for none.
    package func nanoseconds(_ name: Name) -> UInt64 {
        (values.isEmpty ? Self.defaults : values)[Self.index(name)]
    }

    package func isSet(_ name: Name) -> Bool { isSet & (1 << UInt8(Self.index(name))) != 0 }

    package var isUnset: Bool { isSet == 0 }

    /// The timeouts that are set here, and the others from `base`.
    package func merged(over base: Timeouts) -> Timeouts {
        guard isSet != 0 else { return base }
        var merged = base
        for name in Name.allCases where isSet(name) { merged[name] = self[name] }
        return merged
    }
}
