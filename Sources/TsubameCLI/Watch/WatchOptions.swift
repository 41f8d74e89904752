// WatchOptions: the options of `tsubame watch` about repetition.

struct WatchOptions: Options {
    /// The parts of an answer that are compared.
    enum Compared: String, CaseIterable {
        case status, body
    }

    var interval = Span.seconds(2)
    var checks: Int?
    var duration: Span?
    var compared = Compared.body

    static let title = "Repetition"
    static let options: [CommandOption<Self>] = [
        .value(
            "interval", letter: "i", "time",
            "The time from one request to the next, such as 500ms, 2s (default) or 5m.",
            reading: Span.init
        ) { $0.interval = $1 },
        .number("checks", "n", "Give up after this many requests.") { $0.checks = $1 },
        .value("duration", letter: "z", "time", "Give up after this time.", reading: Span.init) { $0.duration = $1 },
        .choice(
            "compare", of: Compared.self,
            "body (default): another status or body is a change; status: only another status is."
        ) { $0.compared = $1 },
    ]

    func validate() throws(UsageProblem) {
        if let checks, !(2...1_000_000_000).contains(checks) {
            throw UsageProblem("--checks is a number from 2 to 1000000000.")
        }
    }
}
