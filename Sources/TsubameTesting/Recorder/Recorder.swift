// Recorder: a transport that records real exchanges in a file, and replays them.

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Synchronization
public import Tsubame
public import TsubameCore
internal import TsubamePlatform

/// A transport that records exchanges in an HTTP archive (HAR 1.2), and answers from that file later.
///
/// ```swift
/// let api = Client("https://api.example.com/v1", transport: Recorder(file: "Fixtures/users.har"))
/// ```
/// The first run of a test sends its requests and records them. Later runs need no network. The client above the recorder
/// is a real client with its whole chain.
///
/// **Secrets** do not get into the file. The recorder withholds credentials, the values of cookies, and each value with a
/// secret name (``/Tsubame/Redaction``, `Configuration.secrets`) in URLs, fields, forms, JSON and multipart bodies. A
/// body without a type of its own is looked at as what it seems to be. The recorder also withholds such a value, if it has at
/// least 6 bytes, wherever an exchange repeats it. A secret without a secret name that stands nowhere else is not recognised,
/// nor are names in XML and HTML. Requests are compared in the same form, and a withheld value fits any value.
///
/// A call with a body of more than 64 MiB fails with `limitExceeded`.
///
/// One recorder owns its file. Clients that use the same file must share the recorder.
public final class Recorder: Transport, CountedTransport {
    /// The rule that says when requests are sent and when they are replayed.
    public enum Mode: Sendable, Hashable, CaseIterable {
        /// Replays the file if it exists, and records it otherwise.
        case once
        /// Sends all requests, and records them in a new file.
        case record
        /// Sends no request. A request that was not recorded fails.
        case replay
        /// Replays what is in the file, and sends and adds everything else.
        case update
    }

    /// The rule that says which recorded exchange answers a request.
    public enum Matching: Sendable, Hashable, CaseIterable {
        /// Method, URL and body are equal. Each recorded exchange answers once; equal ones answer in their order.
        case strict
        /// Method and URL are equal, but parameters of the query may have another order. An exchange with an equal body is
        /// preferred. An exchange may answer any number of times, but one that has not been used comes first.
        case lenient
    }

    /// An error that lists the recorded exchanges that no request has used.
    public struct Unused: Error, Sendable, CustomStringConvertible {
        /// One exchange a line.
        public let description: String
    }

    private struct State: Sendable {
        var engine: Engine?
        var isClosed = false
    }

    /// The longest body that is recorded or compared, in bytes.
    static let longestBody = 64 << 20

    private let file: RecordingFile
    private let mode: Mode
    private let excluded: [StubPattern]
    private let showsSecrets: Bool
    private let upstream: (any Transport)?
    private let state = Mutex(State())

    /// Makes a recorder. It reads the file when the first request comes.
    /// - Parameters:
    ///   - file: the path of the archive. Missing folders are made.
    ///   - mode: whether to record or to replay.
    ///   - matching: which recorded exchange answers a request.
    ///   - excluding: requests that are always sent and never recorded, by path, as a route of a ``StubTransport`` names
    ///     it: `/health`, `/login/*`, `https://login.example.com/*`.
    ///   - showingSecrets: whether the file may hold secrets.
    ///   - upstream: sends the requests. The default is an engine with the settings of the client.
    public init(
        file: String, mode: Mode = .once, matching: Matching = .strict, excluding: [String] = [],
        showingSecrets: Bool = false, over upstream: (any Transport)? = nil
    ) {
        self.file = RecordingFile(file, mode, matching, showsSecrets: showingSecrets)
        self.mode = mode
        excluded = excluding.map { StubPattern(method: nil, path: $0) }
        showsSecrets = showingSecrets
        self.upstream = upstream
    }

    /// The name that `print(client.chain)` shows.
    public var name: String { "recorder" }

    /// Verifies that requests have used every exchange that the file held.
    /// - Throws: ``Unused`` with a list of the others, or the ``/Tsubame/CallError`` of reading the file.
    public func assertAllUsed() async throws {
        let unused = try await file.unused()
        if !unused.isEmpty { throw Unused(description: unused.joined(separator: "\n")) }
    }

    // MARK: Transport

    /// Records or replays. The client calls this.
    public func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        guard let transport = transport(for: exchange.settings) else {
            throw CallError(.cancelled, "the recorder has been closed", phase: .connecting, request: request)
        }
        if excluded.contains(where: { $0.rank(of: request, as: exchange.call.request) != nil }) {
            return try await exchange.pass(request, to: transport)
        }
        let (sends, replays) = try await file.open()
        guard replays else {
            let (copied, capture) = try await RequestCapture.capture(request)
            return try await record(copied, request, capture, exchange, by: transport)
        }
        let body = try await (sends ? RequestCapture.read(request) : exchange.wholeBody())
        let recorded = await RecordedBody(body, codings: request.headers[.contentEncoding])
        let wanted = HTTPArchive.Request(
            method: request.method.rawValue, url: request.uri?.string ?? "",
            postData: recorded.map {
                HTTPArchive.PostData($0, type: request.headers[.contentType] ?? request.body.contentType ?? "")
            })
        switch try await file.answer(to: wanted, request.redaction) {
        case .recorded(let entry, let index): return try Replay(entry, index: index).response(to: request)
        case .none:
            var copied = request
            if !request.body.canBeSentAgain, let body {
                copied.body = request.body.with(content: .bytes(body), length: Int64(body.count))
            }
            return try await record(copied, request, RequestCapture(body), exchange, by: transport)
        }
    }

    private func record(
        _ copied: Request, _ request: Request, _ capture: RequestCapture, _ exchange: TransportExchange,
        by transport: any Transport
    ) async throws(CallError) -> Response {
        let (started, start) = (Date.now, MonotonicClock.now)
        var response = try await exchange.pass(copied, to: transport)
        response.details = response.details.with(request: request)
        let head = response
        let fields = exchange.fields
        let record: @Sendable (RecordedContent) async throws(CallError) -> Void = { [file] content throws(CallError) in
            let end = MonotonicClock.now
            let codings = head.headers[.contentEncoding]
            guard
                let body = await RecordedBody(content.bytes, codings: codings, isIncomplete: content.isIncomplete)
            else { return }
            let bytes = try capture.bytes()
            // A body of a known length is not read beyond its last byte.
            let isWhole = capture.isWhole || copied.body.length == bytes.map { Int64($0.count) }
            let sent = await RecordedBody(
                bytes, codings: request.headers[.contentEncoding], isIncomplete: !isWhole)
            let recorded = RecordedExchange(
                request: request, requestFields: fields, requestBody: sent, response: head, responseBody: body,
                started: started, timings: HTTPArchive.Timings(head.timings, from: start, to: end))
            try await file.add(HTTPArchive.Entry(recorded), request.redaction)
        }
        switch response.body.content {
        case .whole(let bytes): try await record(RecordedContent(bytes: bytes, isIncomplete: false))
        case .stream(let source): response.body = ResponseBody(RecordingSource(source, file, record))
        }
        return response
    }

    /// nil if the recorder has been closed.
    private func transport(for settings: ConnectionSettings) -> (any Transport)? {
        state.withLock { state in
            if state.isClosed { return nil }
            if let upstream { return upstream }
            let engine = state.engine?.with(settings: settings) ?? Engine(settings: settings)
            state.engine = engine
            return engine
        }
    }

    /// The settings that the upstream transport does not honour. The engine honours all.
    public func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> {
        upstream?.unsupported(settings) ?? []
    }

    package func statistics() async -> TransportStatistics {
        let transport = upstream ?? state.withLock { $0.engine }
        return await (transport as? any CountedTransport)?.statistics() ?? TransportStatistics()
    }

    /// Waits until the exchanges so far are in the file, and refuses later requests. The client calls this.
    public func close() async {
        let engine = state.withLock { state in
            state.isClosed = true
            return state.engine
        }
        // A body that is still being read ends here, and is recorded as far as it was read.
        await (upstream ?? engine)?.close()
        await file.finish()
    }
}
