// RepetitionOptions: the options about what is sent again, and about what a status means.
#if Tool
import Tsubame

struct RepetitionOptions: Options {
    var follow = false
    var maxRedirects = 20
    var retry = 0
    var checkStatus = true

    static let title = "Redirects, retries and the exit status"
    static let options: [CommandOption<Self>] = [
        .flag("follow", letter: "F", "Follow redirects.") { $0.follow = true },
        .number("max-redirects", "n", "How many redirects are followed.", shown: { "\($0.maxRedirects)" }) {
            $0.maxRedirects = $1
        },
        .number(
            "retry", "n",
            "Send again, so often at most, after a connection that failed or the status 408, 425, 429, 500, 502, 503 or "
                + "504: if the method may be repeated. Retry-After is obeyed.",
            shown: { "\($0.retry)" }
        ) { $0.retry = $1 },
        .toggle(
            "check-status", "Whether a status of 300 and above is told by the exit status (3, 4, 5), or is 0 too."
        ) { $0.checkStatus = $1 },
    ]

    /// nil: redirects are not followed.
    var redirects: Int? { follow ? maxRedirects : nil }

    func validate() throws(UsageProblem) {
        guard (0...10_000).contains(maxRedirects) else {
            throw UsageProblem("--max-redirects is a number from 0 to 10000.")
        }
        guard (0...1_000).contains(retry) else { throw UsageProblem("--retry is a number from 0 to 1000.") }
    }

    /// - Parameter runs: how many requests the client is for.
    func apply(to configuration: inout Configuration, ofRuns runs: Int) {
        configuration.redirects = redirects.map { .follow(max: $0) } ?? .off
        // Without being told to, a tool does what it is told once.
        configuration.retry = retry > 0 ? .ofCalls(runs, retries: retry) : .off
        let exchanges = ((redirects ?? 0) + 1) * (retry + 1) + 20
        configuration.limits.exchanges = max(configuration.limits.exchanges, exchanges)
    }
}

#endif
