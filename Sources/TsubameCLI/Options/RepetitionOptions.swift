// RepetitionOptions: the options about what is sent again, and about what a status means.
#if Tool
import ArgumentParser
import Tsubame

struct RepetitionOptions: ParsableArguments {
    @Flag(name: [.customShort("F"), .long], help: "Follow redirects.")
    var follow = false

    @Option(parsing: .unconditional, help: ArgumentHelp("How many redirects are followed.", valueName: "n"))
    var maxRedirects = 20

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send again, so often at most, after a connection that failed or the status 408, 425, 429, 500, 502, 503 or "
                + "504: if the method may be repeated. Retry-After is obeyed.",
            valueName: "n"))
    var retry = 0

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp("Whether a status of 300 and above is told by the exit status (3, 4, 5), or is 0 too."))
    var checkStatus = true

    /// nil: redirects are not followed.
    var redirects: Int? { follow ? maxRedirects : nil }

    func validate() throws {
        guard (0...10_000).contains(maxRedirects) else {
            throw ValidationError("--max-redirects is a number from 0 to 10000.")
        }
        guard (0...1_000).contains(retry) else { throw ValidationError("--retry is a number from 0 to 1000.") }
    }

    func apply(to configuration: inout Configuration) {
        configuration.redirects = redirects.map { .follow(max: $0) } ?? .off
        // Without being told to, a tool does what it is told once.
        configuration.retry = retry > 0 ? .ofOneCall(retries: retry) : .off
        let exchanges = ((redirects ?? 0) + 1) * (retry + 1) + 20
        configuration.limits.exchanges = max(configuration.limits.exchanges, exchanges)
    }
}

#endif
