// DeadlineOptions: the options about how long a call may take, and each part of it.
#if Tool
import ArgumentParser
import Tsubame

struct DeadlineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "For the whole call, with redirects; 0 is none, as for all of these. With it, nothing else limits head and "
                + "body unless it is given.",
            valueName: "seconds"))
    var timeout: Seconds?

    @Option(help: ArgumentHelp("Until the way to the server stands: name, TCP, proxy. 10.", valueName: "seconds"))
    var connectTimeout: Seconds?

    @Option(help: ArgumentHelp("For the TLS handshake. 10.", valueName: "seconds"))
    var tlsTimeout: Seconds?

    @Option(
        help: ArgumentHelp("From the end of the request to the end of the response's head. 60.", valueName: "seconds"))
    var headTimeout: Seconds?

    @Option(help: ArgumentHelp("Without a byte of a body, sent or received. 60.", valueName: "seconds"))
    var idleTimeout: Seconds?

    func apply(to timeouts: inout Timeouts) {
        // Whoever gives a time for the whole call means that one.
        if let timeout { (timeouts.total, timeouts.head, timeouts.idle) = (timeout.duration, nil, nil) }
        if let connectTimeout { timeouts.connect = connectTimeout.duration }
        if let tlsTimeout { timeouts.tls = tlsTimeout.duration }
        if let headTimeout { timeouts.head = headTimeout.duration }
        if let idleTimeout { timeouts.idle = idleTimeout.duration }
    }
}

/// A time in seconds, fractions included.
struct Seconds: ExpressibleByArgument {
    /// nil for none.
    let duration: Duration?

    init?(argument: String) {
        guard let seconds = Double(argument), seconds >= 0, seconds <= 1_000_000_000 else { return nil }
        duration = seconds > 0 ? .nanoseconds(Int64(seconds * 1_000_000_000)) : nil
    }
}

#endif
