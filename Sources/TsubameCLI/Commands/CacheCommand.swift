// CacheCommand: `tsubame cache [URL]`, which lists, explains or removes the responses that `--cache` keeps.

import Synchronization
import Tsubame
import TsubameTerminal

struct CacheCommand: ToolCommand {
    static let name = "cache"
    static let abstract = "List, explain or remove the responses that --cache keeps."
    static let usage = ["[OPTION …] [URL]", "[OPTION …] --why URL [ITEM …]"]
    static let commonOptions: KeyValuePairs = [
        "why": "Say what the cache decides about a request.",
        "clear": "Remove all responses, or those of the URL.",
        "help-all": "Show all options.",
    ]
    static let takesWords = true
    static let hasDefaults = true
    static let table = OptionTable<Self>(
        OptionGroup(
            "Options",
            [
                .flag("why", "Send a GET request, and print each decision of the cache about it.") {
                    $0.explains = true
                },
                .flag("clear", "Remove all responses, or those of the URL.") { $0.clears = true },
            ]), OptionGroup(\.options.call.deadlines),
        OptionGroup(\.options.call.connection, without: ["max-connections"]),
        OptionGroup(\.options.call.tls),
        OptionGroup(\.options.call.auth),
        OptionGroup("General", [.ignoreConfig, .help, .helpAll]))

    var words: [String] = []
    private var explains = false
    private var clears = false
    private var options = RepeatedRequests()

    func validate() throws(UsageProblem) {
        try options.validate()
        if explains, clears { throw UsageProblem("--why and --clear exclude each other.") }
        if explains, words.isEmpty { throw UsageProblem("--why needs a URL.") }
        if !explains, words.count > 1 {
            throw UsageProblem("“\(words[1])” is one word too many: tsubame cache takes one URL.")
        }
    }

    func run() throws -> ExitStatus {
        if explains { return try explain() }
        let url = try words.first.map(URLShorthand.checked)
        guard let cache = try CacheFolder.existing() else {
            Diagnostics.say("the cache is empty: no request with --cache was sent yet")
            return .failure
        }
        if clears {
            guard let url else {
                cache.removeAll()
                return .ok
            }
            guard try !Self.responses(of: cache, to: url).isEmpty else { return Self.sayNothing(of: url) }
            try cache.remove(url)
            return .ok
        }
        let responses = try Self.responses(of: cache, to: url)
        guard !responses.isEmpty else {
            return Self.sayNothing(of: url)
        }
        for response in responses {
            try Descriptor.output.writeAll("\(Self.shown(response.request))\n  \(Self.words(of: response))\n")
        }
        let bytes = responses.map(\.bytes).reduce(0, +)
        try Descriptor.output.writeAll(
            "\(responses.count) \(responses.count == 1 ? "response" : "responses"), \(ByteCount.text(bytes))\n")
        return .ok
    }

    private static func sayNothing(of url: String?) -> ExitStatus {
        Diagnostics.say(url == nil ? "the cache is empty" : "the cache has no response of this URL")
        return .failure
    }

    /// - Parameter url: leaves out the responses of other URLs; nil for all responses.
    private static func responses(of cache: ResponseCache, to url: String?) throws -> [CachedResponse] {
        guard let url else { return cache.contents ?? [] }
        // The cache names URLs without fragments and credentials.
        let uri = try TargetURI(parsing: url)
        let request = "GET \(uri.origin)\(uri.target)"
        return (cache.contents ?? []).filter { $0.request == request }
    }

    /// The method and the URL, without secrets.
    private static func shown(_ request: String) -> String {
        let parts = request.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return Canvas.visible(request) }
        return Canvas.visible("\(parts[0]) \(Redaction.standard.url(parts[1]))")
    }

    private static func words(of response: CachedResponse) -> String {
        let left = Int64(response.timeToLive.rounded())
        var parts = ["\(response.status)", ByteCount.text(response.bytes)]
        parts.append("\(Int64(response.age.rounded())) s old")
        parts.append(left > 0 ? "fresh for \(left) s" : left < 0 ? "stale for \(-left) s" : "stale")
        if response.isHeuristic { parts.append("by a tenth of its age, as the server gives no lifetime") }
        if response.canBeValidated { parts.append("the server can confirm it") }
        if !response.selecting.isEmpty { parts.append("chosen by \(response.selecting.joined(separator: ", "))") }
        return Canvas.visible(parts.joined(separator: ", "))
    }

    /// Sends the request as `tsubame --cache` does.
    private func explain() throws -> ExitStatus {
        CommandRuns.limitThreads()
        let target = try RequestWords(words, defaultScheme: nil, isDownload: false)
        let (requests, plan) = try options.prepared([target])
        guard requests[0].method == .get else {
            throw UsageProblem(
                "--why sends a GET request, because another method would change the server and the cache.")
        }
        guard let cache = CacheFolder.open(isSilent: false) else { return .failure }
        let client = Client {
            plan.apply(to: &$0, ofRuns: 1)
            $0.cache = .cache(cache)
        }
        let decisions = Mutex<[String]>([])
        let observation = client.observe { event in
            if case .caching(let text) = event.kind { decisions.withLock { $0.append(text) } }
        }
        defer { observation.cancel() }
        do {
            let status = try client.blocking.stream(requests[0]) { response, next in
                while try next() != nil {}
                return response.cacheStatus
            }
            for text in decisions.withLock({ $0 }) { try Descriptor.output.writeAll("\(Canvas.visible(text))\n") }
            if let status { try Descriptor.output.writeAll("Cache-Status: \(Canvas.visible(status))\n") }
            for stored in try Self.responses(of: cache, to: plan.url) {
                try Descriptor.output.writeAll("stored: \(Self.words(of: stored))\n")
            }
            return .ok
        } catch let error as CallError {
            Diagnostics.say(error)
            return ExitStatus(error, maximumRedirects: .max)
        }
    }
}
