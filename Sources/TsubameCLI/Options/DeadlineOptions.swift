// DeadlineOptions: the options that limit the time of a call and of its parts.

import Tsubame

struct DeadlineOptions: Options {
    var timeout: Seconds?
    var connectTimeout: Seconds?
    var tlsTimeout: Seconds?
    var poolTimeout: Seconds?
    var headTimeout: Seconds?
    var idleTimeout: Seconds?

    static let title = "Deadlines"
    static let options: [CommandOption<Self>] = [
        .value(
            "timeout", "seconds",
            "For the whole call, with redirects; by default none. 0 means no limit, here and below. Replaces the defaults of "
                + "--head-timeout and --idle-timeout.",
            reading: Seconds.init
        ) { $0.timeout = $1 },
        .value(
            "connect-timeout", "seconds", "To connect (DNS, TCP, proxy); 10 by default.",
            reading: Seconds.init
        ) {
            $0.connectTimeout = $1
        },
        .value("tls-timeout", "seconds", "For the TLS handshake; 10 by default.", reading: Seconds.init) {
            $0.tlsTimeout = $1
        },
        .value(
            "pool-timeout", "seconds",
            "To wait for a connection at --max-connections; by default no limit.",
            reading: Seconds.init
        ) { $0.poolTimeout = $1 },
        .value(
            "head-timeout", "seconds", "From the request's end to the response head's end; 60 by default.",
            reading: Seconds.init
        ) { $0.headTimeout = $1 },
        .value("idle-timeout", "seconds", "Without a byte of a body; 60 by default.", reading: Seconds.init) {
            $0.idleTimeout = $1
        },
    ]

    /// The pool has no timeout by default. A request that waits for a connection waits for another download of the same
    /// command, and a long download is not an error.
    func apply(to timeouts: inout Timeouts) {
        // The library's default for calls on a blocked thread does not fit here: a response may take hours to arrive.
        timeouts.total = nil
        // A limit for the whole call replaces the default limits of its parts.
        if let timeout { (timeouts.total, timeouts.head, timeouts.idle) = (timeout.duration, nil, nil) }
        if let connectTimeout { timeouts.connect = connectTimeout.duration }
        if let tlsTimeout { timeouts.tls = tlsTimeout.duration }
        timeouts.pool = poolTimeout?.duration
        if let headTimeout { timeouts.head = headTimeout.duration }
        if let idleTimeout { timeouts.idle = idleTimeout.duration }
    }
}

/// A time in seconds, with fractions.
struct Seconds {
    /// nil for no limit.
    let duration: Duration?

    init(_ text: String) throws(UsageProblem) {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1_000_000_000 else {
            throw UsageProblem("“\(text)” is not a time in seconds up to 1000000000, such as 30 or 2.5.")
        }
        duration = seconds > 0 ? .nanoseconds(Int64(seconds * 1_000_000_000)) : nil
    }
}
