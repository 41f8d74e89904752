// FileRun: runs the entries of a file in order, and checks their responses.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

/// The outcome of one entry.
struct EntryOutcome: Sendable {
    let entry: FileEntry
    /// The method and the URL as they were sent; nil if the request could not be made.
    var request: String?
    var status: Int?
    var nanoseconds: UInt64 = 0
    var attempts = 0
    var failures: [AssertionFailure] = []
    /// Why there is no response, or no value to capture.
    var problem: EntryProblem?
    var isSkipped = false
    /// The number of the row at which a loop ended, from 1; nil for an entry without a loop.
    var row: Int?

    var isGood: Bool { failures.isEmpty && problem == nil }

    /// Keeps these texts from all that is said about the entry.
    mutating func hide(_ texts: [String]) {
        guard !texts.isEmpty else { return }
        func hidden(_ text: String) -> String { FileVariables.hiding(texts, in: text) }
        failures = failures.map { failure in
            AssertionFailure(
                place: failure.place, text: failure.text, actual: hidden(failure.actual),
                expected: hidden(failure.expected))
        }
        problem = problem.map { EntryProblem($0.place, hidden($0.reason)) }
    }
}

/// Runs one file with a client of its own, whose jar keeps the cookies of its entries.
struct FileRun {
    private let file: RequestFile
    private let client: Client
    private let folder: RequestFolder
    private(set) var variables: FileVariables
    /// Whether entries after one that failed run, too.
    private let goesOn: Bool
    private let ignoresAsserts: Bool
    private let print: PrintParts?
    private let defaults: [(name: String, value: String)]

    init(_ file: RequestFile, _ client: Client, variables: FileVariables, _ options: RunOptions) {
        self.file = file
        self.client = client
        self.variables = variables
        goesOn = options.keepsGoing
        ignoresAsserts = options.ignoresAsserts
        print = options.print
        defaults = options.entryOptions
        folder = RequestFolder(of: file.path)
    }

    /// Runs to the end, or to the first entry that fails.
    /// - Parameter told: gets the outcome of each request when it has run.
    /// - Returns: the outcomes, and the number of entries that did not run.
    mutating func run(
        told: (EntryOutcome, FileVariables) throws -> Void
    ) async throws -> (outcomes: [EntryOutcome], left: Int) {
        var outcomes: [EntryOutcome] = []
        for (index, entry) in file.entries.enumerated() {
            if Task.isCancelled { return (outcomes, file.entries.count - index) }
            let found = try await run(entry, told)
            outcomes += found
            guard goesOn || found.allSatisfy(\.isGood) else { return (outcomes, file.entries.count - index - 1) }
        }
        return (outcomes, 0)
    }

    /// Runs an entry: once, or for each row of its loop.
    private mutating func run(
        _ entry: FileEntry, _ told: (EntryOutcome, FileVariables) throws -> Void
    ) async throws -> [EntryOutcome] {
        let folder = entry.importedFrom.map { RequestFolder(of: $0) } ?? folder
        var outcomes: [EntryOutcome] = []
        func tell(_ outcome: EntryOutcome) throws {
            try told(outcome, variables)
            outcomes.append(outcome)
        }
        let rounds: [[(String, FileValue)]]
        do throws(EntryProblem) {
            if let refusal = entry.refusal { throw EntryProblem(refusal.place, refusal.reason) }
            rounds = try EntryLoop.rounds(of: entry, folder)
            if rounds.isEmpty { throw EntryProblem(entry.place, "the loop has no rows") }
        } catch {
            try tell(EntryOutcome(entry: entry, problem: error))
            return outcomes
        }
        for (index, round) in rounds.enumerated() {
            for (name, value) in round { variables.set(name, value) }
            var left: Int?
            repeat {
                var outcome = EntryOutcome(entry: entry)
                if entry.loop != nil { outcome.row = index + 1 }
                let start = MonotonicClock.now
                do throws(EntryProblem) {
                    let options = try EntryOptions(of: entry, defaults, &variables)
                    left = left ?? options.repeats
                    outcome.isSkipped = options.isSkipped || options.repeats == 0
                    if !outcome.isSkipped { try await attempts(entry, options, folder, &outcome) }
                } catch {
                    outcome.problem = error
                }
                outcome.nanoseconds = MonotonicClock.now - start
                try tell(outcome)
                if !outcome.isGood, !goesOn || Task.isCancelled { return outcomes }
                left = outcome.isSkipped ? 0 : (left ?? 1) - 1
            } while left ?? 0 > 0
        }
        return outcomes
    }

    /// Sends the request until its checks hold, or until there are no more retries.
    private mutating func attempts(
        _ entry: FileEntry, _ options: EntryOptions, _ folder: RequestFolder, _ outcome: inout EntryOutcome
    ) async throws(EntryProblem) {
        let client = client.with { options.apply(to: &$0, folder: folder) }
        await Self.wait(options.delay)
        var left = options.retries
        while true {
            outcome.attempts += 1
            try await attempt(entry, options, client, folder, &outcome)
            if outcome.isGood || Task.isCancelled { return }
            guard left.map({ $0 > 0 }) ?? true else { return }
            left = left.map { $0 - 1 }
            await Self.wait(options.retryInterval)
        }
    }

    private mutating func attempt(
        _ entry: FileEntry, _ options: EntryOptions, _ client: Client, _ folder: RequestFolder,
        _ outcome: inout EntryOutcome
    ) async throws(EntryProblem) {
        (outcome.failures, outcome.problem) = ([], nil)
        let made = try EntryRequest(entry, options, variables, folder)
        outcome.request = made.request.summary
        let hidesMore = entry.response?.captures.contains(where: \.isRedacted) == true
        let output = print.flatMap {
            try? ExchangeOutput($0, of: client, hiding: hiddenTexts(made.request, options), hidesMore: hidesMore)
        }
        let (response, message): (Response, ReceivedMessage)
        do throws(CallError) {
            let start = MonotonicClock.now
            response = try await client.send(made.request)
            message = try await ReceivedMessage(response, nanoseconds: MonotonicClock.now - start)
        } catch {
            try? output?.finish(nil, hiding: hiddenTexts(made.request, options))
            outcome.problem = EntryProblem(entry.place, FlagNames.text(of: error))
            return
        }
        outcome.status = message.status
        if let name = entry.name {
            let sent = ReceivedMessage(
                status: 0, version: message.version, url: message.url,
                fields: made.request.headers.map { ($0.name.rawName, $0.value) }, body: made.body)
            variables.keep(FileVariables.Answer(request: sent, response: message), of: name)
        }
        do throws(ValueProblem) {
            if let output = options.output { try save(message.body, output, folder, isNew: options.keepsOutputs) }
            if let expected = entry.response { try check(message, expected, options, folder, &outcome) }
        } catch {
            outcome.problem = EntryProblem(entry.place, error.reason)
        }
        // Captured values may be secret, so the exchange is printed after them.
        let hidden = hiddenTexts(made.request, options)
        outcome.hide(hidden)
        try? output?.finish((response, Bytes(message.body)), hiding: hidden)
    }

    /// The secrets, also within the credentials of a request.
    private func hiddenTexts(_ request: Request, _ options: EntryOptions) -> [String] {
        let hidden = variables.hiddenTexts
        guard !hidden.isEmpty else { return [] }
        let given = request.headers["Authorization"].flatMap { $0.split(separator: " ").last.map(String.init) }
        let pairs = [options.user, request.uri?.userinfo.map { PercentEncoding.decodeLeniently($0) }].compactMap { $0 }
        let credentials = [given].compactMap { $0 } + pairs.map { EncodedBytes.base64Text(Array($0.utf8)) }
        return hidden
            + credentials.filter { text in
                let plain = EncodedBytes.base64(text).map { String(decoding: $0, as: UTF8.self) } ?? ""
                return hidden.contains(where: plain.contains)
            }
    }

    /// Checks status and fields before it captures values. Asserts may use what was captured.
    private mutating func check(
        _ message: ReceivedMessage, _ expected: ExpectedResponse, _ options: EntryOptions, _ folder: RequestFolder,
        _ outcome: inout EntryOutcome
    ) throws(ValueProblem) {
        let reader = { (name: String) throws(ValueProblem) in try folder.read(name) }
        var reading = ValueReading(
            message: message, variables: variables, keepsLists: options.keepsLists, readFile: reader)
        if !ignoresAsserts { outcome.failures = reading.failures(ofHead: expected) }
        guard outcome.failures.isEmpty || expected.captures.isEmpty else {
            // A value that would be hidden is not captured, and must not be shown, either.
            for capture in expected.captures where capture.isRedacted {
                if let value = try? reading.value(of: capture.path) { variables.hide(value.text) }
            }
            return
        }
        for capture in expected.captures {
            do throws(ValueProblem) {
                let name = try variables.text(of: capture.name)
                guard let value = try reading.value(of: capture.path) else {
                    throw ValueProblem("the response has no value to capture as \(name)")
                }
                variables.set(name, value, isSecret: capture.isRedacted)
            } catch {
                outcome.problem = EntryProblem(capture.path.place, error.reason)
                return
            }
            reading = ValueReading(
                message: message, variables: variables, keepsLists: options.keepsLists, readFile: reader)
        }
        if ignoresAsserts { return }
        if let failure = try reading.failure(ofBody: expected) { outcome.failures.append(failure) }
        outcome.failures += expected.assertions.compactMap { reading.failure(of: $0) }
    }

    /// - Parameter isNew: whether a file of the name stays, and the new one gets a number.
    private func save(
        _ bytes: [UInt8], _ name: String, _ folder: RequestFolder, isNew: Bool
    ) throws(ValueProblem) {
        var path = try folder.writablePath(name)
        var number = 1
        while isNew, access(path, F_OK) == 0, number < 10_000 {
            path = try folder.writablePath(Self.numbered(name, number))
            number += 1
        }
        do throws(SystemError) {
            let output = try OutputFile(path)
            try output.write(Bytes(bytes))
            try output.finish()
        } catch {
            throw ValueProblem("\(error)")
        }
    }

    /// `out-1.json` for `out.json`.
    private static func numbered(_ name: String, _ number: Int) -> String {
        let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        guard let dot = name[start...].lastIndex(of: "."), dot > start else { return "\(name)-\(number)" }
        return "\(name[..<dot])-\(number)\(name[dot...])"
    }

    private static func wait(_ duration: Duration) async {
        if duration > .zero { try? await Task.sleep(for: duration) }
    }
}

extension ReceivedMessage {
    /// The longest body after its codings are undone, in bytes.
    private static let maximumBody = 256 << 20

    fileprivate init(_ response: Response, nanoseconds: UInt64) async throws(CallError) {
        let received = response.bytes
        var body = received
        if let codings = response.headers[.contentEncoding] {
            // A coding that is not known leaves the body as it is.
            body = try await DecodedContent.decode(received, codings: codings, upTo: Self.maximumBody) ?? received
        }
        self.init(
            status: response.statusCode, version: response.version?.description ?? "HTTP/1.1",
            url: response.request.uri?.string ?? "",
            fields: response.headers.map { ($0.name.rawName, $0.value) }, body: Array(body))
        receivedBody = Array(received)
        certificate = response.connection?.tls?.certificate.map { Self.attributes(ofCertificate: Array($0.der)) } ?? []
        address = response.connection.map { String(HostAddress.withoutPort($0.remoteAddress)) } ?? ""
        milliseconds = Int64(clamping: nanoseconds / 1_000_000)
        redirects =
            (response.history.dropFirst().compactMap { $0.request.uri?.string }
                + (response.history.isEmpty ? [] : [url]))
    }
}

/// The address of a server, without its port and without brackets.
private enum HostAddress {
    static func withoutPort(_ address: String) -> Substring {
        if address.hasPrefix("["), let end = address.firstIndex(of: "]") { return address[..<end].dropFirst() }
        let colons = address.count { $0 == ":" }
        guard colons == 1, let colon = address.lastIndex(of: ":") else { return address[...] }
        return address[..<colon]
    }
}

extension FileEntry {
    /// The method and the URL of an entry whose request was not made, without the query, which may hold secrets.
    var summary: String { "\(method) \(url.source.prefix { $0 != "?" })" }
}
