// RepeatedRequests: the options of a command that sends its requests again and again, and the requests.

import Tsubame

/// The options of requests that `bench`, `watch` and `cache --why` have, too.
struct RepeatedRequests: Sendable {
    var content = ContentOptions()
    /// The commands offer deadlines, connection, TLS and credentials of these.
    var call = CallOptions()

    func validate() throws(UsageProblem) {
        try content.validate()
        try call.validate()
    }

    /// Warns of data on the standard input, which only `--raw @-` sends.
    func warnOfUnsentInput() {
        if !content.ignoreStdin { RawBody.warnOfUnsentInput() }
    }

    /// The requests, and the plan of the first one, which the clients have for all.
    /// - Parameter targets: the words of each request, with the same items.
    func prepared(_ targets: [RequestWords]) throws -> ([Request], CallPlan) {
        let items = try RequestContent(
            targets.first?.items ?? [], content)
        try content.check(items)
        let body = try content.body(of: items)
        guard body.canBeSentAgain else {
            throw UsageProblem("This body can be read only once. Save it in a file, and give --raw @FILE.")
        }
        var call = call
        call.mayPrompt = !content.ignoreStdin
        var first: CallPlan?
        let requests = try targets.map { words in
            let plan = try CallPlan(call, url: words.url, items: items, after: first)
            if let first, !plan.agrees(with: first) {
                throw UsageProblem(
                    "--auth-type gives the URLs different credentials: leave it out, or give one --auth for all URLs.")
            }
            if first == nil { first = plan }
            return try content.request(words, items, body, plan)
        }
        guard let first else { throw UsageProblem("There is no URL.") }
        return (requests, first)
    }
}
