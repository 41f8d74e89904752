// DeadlineOptions: the options about how long a call may take, and each part of it.
#if Tool
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
            "For the whole call, with redirects. None unless given; 0 is none, too, here and below. With it, nothing else "
                + "limits head and body unless it is given.",
            reading: Seconds.init
        ) { $0.timeout = $1 },
        .value(
            "connect-timeout", "seconds", "Until the way to the server stands: name, TCP, proxy. 10.",
            reading: Seconds.init
        ) {
            $0.connectTimeout = $1
        },
        .value("tls-timeout", "seconds", "For the TLS handshake. 10.", reading: Seconds.init) { $0.tlsTimeout = $1 },
        .value(
            "pool-timeout", "seconds",
            "For a free connection, where there are as many as --max-connections allows. None.",
            reading: Seconds.init
        ) { $0.poolTimeout = $1 },
        .value(
            "head-timeout", "seconds", "From the end of the request to the end of the response's head. 60.",
            reading: Seconds.init
        ) { $0.headTimeout = $1 },
        .value("idle-timeout", "seconds", "Without a byte of a body, sent or received. 60.", reading: Seconds.init) {
            $0.idleTimeout = $1
        },
    ]

    /// None for the pool unless given: what waits for a connection waits for another download of the same command, and that
    /// one is long is no fault.
    func apply(to timeouts: inout Timeouts) {
        // A call that waits in its thread has one of its own otherwise: what comes may come for hours.
        timeouts.total = nil
        // Whoever gives a time for the whole call means that one.
        if let timeout { (timeouts.total, timeouts.head, timeouts.idle) = (timeout.duration, nil, nil) }
        if let connectTimeout { timeouts.connect = connectTimeout.duration }
        if let tlsTimeout { timeouts.tls = tlsTimeout.duration }
        timeouts.pool = poolTimeout?.duration
        if let headTimeout { timeouts.head = headTimeout.duration }
        if let idleTimeout { timeouts.idle = idleTimeout.duration }
    }
}

/// A time in seconds, fractions included.
struct Seconds {
    /// nil for none.
    let duration: Duration?

    init(_ text: String) throws(UsageProblem) {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1_000_000_000 else {
            throw UsageProblem("“\(text)” is no time in seconds, such as 30 or 2.5.")
        }
        duration = seconds > 0 ? .nanoseconds(Int64(seconds * 1_000_000_000)) : nil
    }
}

#endif
