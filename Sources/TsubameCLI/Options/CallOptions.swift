// CallOptions: the options about how a request is sent.
#if Tool
import ArgumentParser
import Tsubame

struct CallOptions: ParsableArguments {
    enum Verification: String, ExpressibleByArgument, CaseIterable {
        case yes, no
    }

    @Flag(name: [.customShort("F"), .long], help: "Follow redirects.")
    var follow = false

    @Option(help: ArgumentHelp("How many redirects are followed.", valueName: "n"))
    var maxRedirects = 20

    @Option(
        help: ArgumentHelp(
            "For the whole call, with redirects; 0 is none. Without it, 60 for the head and 60 without a byte.",
            valueName: "seconds"))
    var timeout: Seconds?

    @Option(
        name: [.short, .long], parsing: .unconditional,
        help: ArgumentHelp("Basic authentication, for the URL's own origin.", valueName: "user:password"))
    var auth: String?

    @Option(
        help: ArgumentHelp(
            "Use this address instead of asking the resolver; * is any host.", valueName: "host:port:address"))
    var resolve: [AddressOverride] = []

    @Option(
        help: ArgumentHelp(
            "Read cookies from this file, in Netscape's format, and keep in it what servers set.", valueName: "file"))
    var cookieJar: String?

    @Option(help: ArgumentHelp("no: trust every certificate.", valueName: "yes|no"))
    var verify: Verification = .yes

    @Option(
        help: ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file"))
    var cacert: String?

    /// nil: redirects are not followed.
    var redirects: Int? { follow ? maxRedirects : nil }

    func validate() throws {
        guard (0...10_000).contains(maxRedirects) else {
            throw ValidationError("--max-redirects is a number from 0 to 10000.")
        }
        if let auth, !auth.contains(":") {
            throw ValidationError("--auth is user:password; without a password, it is the user and a colon.")
        }
    }

    /// The jar of the file that was named, or one for this run: for redirects, since a login answers with a cookie and the
    /// way to its page.
    func openJar() throws(CallError) -> CookieJar {
        guard let cookieJar else { return CookieJar() }
        return try CookieJar(file: cookieJar) { Diagnostics.say("\(cookieJar): \($0)") }
    }

    func apply(to configuration: inout Configuration, _ jar: CookieJar) {
        // Whoever gives a time for the whole call means that one; without it, the parts have theirs.
        if let timeout {
            configuration.timeouts.total = timeout.duration
            configuration.timeouts.head = nil
            configuration.timeouts.idle = nil
        }
        configuration.redirects = redirects.map { .follow(max: $0) } ?? .off
        configuration.limits.exchanges = max(configuration.limits.exchanges, (redirects ?? 0) + 20)
        if let auth, let colon = auth.firstIndex(of: ":") {
            configuration.authentication = .basic(
                user: String(auth[..<colon]), password: String(auth[auth.index(after: colon)...]))
        }
        for override in resolve { configuration.resolve[override.host] = override.address }
        configuration.cookies = .jar(jar)
        if verify == .no { configuration.tls.verification = .dangerouslyOff }
        if let cacert { configuration.tls.roots = .file(path: cacert) }
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
