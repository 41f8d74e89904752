// BenchOptions: the options of `tsubame bench` about the load and its report.

import Tsubame

struct BenchOptions: Options {
    /// The value of `--report`.
    enum Report: String, CaseIterable {
        case text, json, csv
    }

    /// The most requests at once, for all connections together.
    private static let mostStreams = 100_000

    var requests: Int?
    var duration: Span?
    var connections = 50
    /// Requests at once on each connection of HTTP/2; nil for HTTP/1.1.
    var streams: Int?
    var rate: Double?
    var warmUp: Span?
    var urls: String?
    var requestsOf: String?
    var report = Report.text

    static let title = "Load"
    static let options: [CommandOption<Self>] = [
        .value(
            "requests", letter: "n", "n", isAnyWord: true, "Send this many requests; with -z, whichever comes first.",
            reading: whole
        ) { $0.requests = $1 },
        .value(
            "duration", letter: "z", "time",
            "Send requests for this time, such as 500ms, 30s, 5m or 1h. Default without -n: 10s.", reading: Span.init
        ) { $0.duration = $1 },
        .value(
            "connections", letter: "c", "n", "Keep this many connections busy, to all servers together.",
            shown: { "\($0.connections)" }, reading: whole
        ) { $0.connections = $1 },
        .value(
            "streams", letter: "p", "n",
            "Use HTTP/2, with this many requests at once on each connection. Without -p and --http-version 2, HTTP/1.1 is used.",
            reading: whole
        ) { $0.streams = $1 },
        .value(
            "rate", letter: "q", "n",
            "Send this many requests a second, together. A latency then counts from when its request was due, so a stall of "
                + "the server shows in every request that it delayed.", reading: rate
        ) { $0.rate = $1 },
        .value("warm-up", "time", "First send requests for this time without counting them.", reading: Span.init) {
            $0.warmUp = $1
        },
        .value(
            "urls", "file|-", completion: .file,
            "Send requests to the URLs of this file in turn, one a line, with or without a method before it."
        ) { $0.urls = $1 },
        .value(
            "requests-of", "file", completion: .file,
            "Send the requests of this .http, .hurl or .har file in turn. Values such as {{$guid}} are made once, and checks are not made."
        ) { $0.requestsOf = $1 },
        .choice("report", of: Report.self, "Print the report as text (default), JSON or CSV.") { $0.report = $1 },
    ]

    private static func whole(_ text: String) throws(UsageProblem) -> Int {
        guard let number = Int(text), number > 0 else {
            throw UsageProblem("“\(text)” is not a whole number above 0, or too large.")
        }
        return number
    }

    private static func rate(_ text: String) throws(UsageProblem) -> Double {
        guard let number = Double(text), number >= 0.001, number <= 10_000_000 else {
            throw UsageProblem("“\(text)” is not a number of requests a second, from 0.001 to 10000000.")
        }
        return number
    }

    func validate() throws(UsageProblem) {
        if let requests, requests > 1_000_000_000_000 {
            throw UsageProblem("-n is a number up to 1000000000000.")
        }
        guard connections <= 10_000 else { throw UsageProblem("-c is a number from 1 to 10000.") }
        guard streams ?? 1 <= 1_000 else { throw UsageProblem("-p is a number from 1 to 1000.") }
        guard connections * (streams ?? 1) <= Self.mostStreams else {
            throw UsageProblem("-c and -p together send at most \(Self.mostStreams) requests at once.")
        }
    }

    /// The load from this time on.
    func schedule(from start: UInt64) -> BenchSchedule {
        let time = duration ?? (requests == nil ? Span.standard : nil)
        return BenchSchedule(
            requests: requests, duration: time?.nanoseconds, rate: rate, warmUp: warmUp?.nanoseconds ?? 0, start: start)
    }
}
