// Timeouts: how long each part of a call may take.

/// The deadlines of a call. Each is real for every method, below one second too, and the error names the one that
/// passed.
///
/// ```swift
/// client.timeouts.total = .seconds(20)      // for every call of a client
/// request.timeouts.idle = .milliseconds(500) // for one request; what is not set is the client's
/// ```
/// `nil` is none. What is not set on a request is the client's.
public struct Timeouts: Sendable, Hashable {
    /// The deadlines by name, as errors name them.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        /// The deadline that ``Timeouts`` has under this name.
        case connect, tls, pool, head, idle, total
    }

    private var values: [UInt64]
    private var isSet: UInt8

    /// Nothing set: everything as the client has it.
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

    /// Until the way to the origin stands: the look-up of its name, a TCP connection over all addresses, and what has to
    /// be said to a proxy, TLS to it included. 10 s.
    public var connect: Duration? {
        get { self[.connect] }
        set { self[.connect] = newValue }
    }
    /// The TLS handshake. 10 s.
    public var tls: Duration? {
        get { self[.tls] }
        set { self[.tls] = newValue }
    }
    /// Waiting for a free connection. 30 s.
    public var pool: Duration? {
        get { self[.pool] }
        set { self[.pool] = newValue }
    }
    /// From the end of the request to the end of the response's head. 60 s.
    public var head: Duration? {
        get { self[.head] }
        set { self[.head] = newValue }
    }
    /// Without a byte moving while a body is sent or received. 60 s.
    public var idle: Duration? {
        get { self[.idle] }
        set { self[.idle] = newValue }
    }
    /// From `send` to the last byte of the body, over redirects, retries and waiting. None (60 s for blocking calls).
    public var total: Duration? {
        get { self[.total] }
        set { self[.total] = newValue }
    }

    /// In nanoseconds; `never` for none.
    package func nanoseconds(_ name: Name) -> UInt64 {
        (values.isEmpty ? Self.defaults : values)[Self.index(name)]
    }

    package func isSet(_ name: Name) -> Bool { isSet & (1 << UInt8(Self.index(name))) != 0 }

    package var isUnset: Bool { isSet == 0 }

    /// What is set here, and the rest as `base` has it.
    package func merged(over base: Timeouts) -> Timeouts {
        guard isSet != 0 else { return base }
        var merged = base
        for name in Name.allCases where isSet(name) { merged[name] = self[name] }
        return merged
    }
}
