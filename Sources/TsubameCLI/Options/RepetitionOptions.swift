// RepetitionOptions: the options about redirects, retries and the exit status.

import Tsubame

struct RepetitionOptions: Options {
    var follow = false
    var maxRedirects = 20
    var retry = 0
    var checkStatus = true

    static let title = "Redirects, retries and the exit status"
    static let options: [CommandOption<Self>] = [
        .flag("follow", letter: "F", "Follow redirects.") { $0.follow = true },
        .number("max-redirects", "n", "Follow at most this many redirects.", shown: { "\($0.maxRedirects)" }) {
            $0.maxRedirects = $1
        },
        .number(
            "retry", "n",
            "Retry idempotent requests at most this often, after a failed connection or status 408, 425, 429, 500, 502, "
                + "503 or 504. Obeys Retry-After. After a mebibyte of an upload, or of a download with --continue, the count begins anew.",
            shown: { "\($0.retry)" }
        ) { $0.retry = $1 },
        .toggle(
            "check-status", "Exit with 3, 4 or 5 on a status of 300 and above (default), or with 0."
        ) { $0.checkStatus = $1 },
    ]

    /// The maximum number of redirects; nil if redirects are not followed.
    var redirects: Int? { follow ? maxRedirects : nil }

    func validate() throws(UsageProblem) {
        guard (0...10_000).contains(maxRedirects) else {
            throw UsageProblem("--max-redirects is a number from 0 to 10000.")
        }
        guard (0...1_000).contains(retry) else { throw UsageProblem("--retry is a number from 0 to 1000.") }
    }

    /// - Parameter runs: the number of requests that the client serves.
    func apply(to configuration: inout Configuration, ofRuns runs: Int) {
        configuration.redirects = redirects.map { .follow(max: $0) } ?? .off
        // A tool sends a request once unless the user asks for more.
        configuration.retry = retry > 0 ? .ofCalls(runs, retries: retry) : .off
        let exchanges = ((redirects ?? 0) + 1) * (retry + 1) + 20
        configuration.limits.exchanges = max(configuration.limits.exchanges, exchanges)
    }
}
