// BlockDemo: calls with closures: progress, a timeout that fires, a cancel, and a page in EUC-JP.
#if Server && XML
import HTTPBin
import Tsubame

/// The last reported progress, how often it was reported, and whether it ever went back.
@MainActor
private final class ProgressBar {
    private(set) var reports = 0
    private(set) var last: Int64 = 0
    private(set) var wentBack = false

    func take(_ progress: CallProgress) {
        reports += 1
        if progress.sent.bytes < last { wentBack = true }
        last = max(last, progress.sent.bytes)
    }
}

struct BlockDemo {
    private static let photoBytes = 3 << 20
    private static let pieces = 6
    private static let page = """
        <!DOCTYPE html>
        <html lang="ja">
        <head><meta charset="EUC-JP"><title>燕（つばめ）</title></head>
        <body>
        <h1>ツバメの日記</h1>
        <p>春になると、燕が軒先に巣を作る。日本語の頁は、文字符号化を尊重して読む。</p>
        <p>半角: ﾂﾊﾞﾒ、補助漢字: 鷗と丂</p>
        </body>
        </html>

        """

    private let server: DemoServer
    private let ledger: DemoLedger
    private let client: Client

    init(_ server: DemoServer, _ ledger: DemoLedger) {
        self.server = server
        self.ledger = ledger
        client = server.watched(Client(server.url))
    }

    func run() async throws {
        ledger.title("4. Closures, upload progress, a timeout of its own, EUC-JP")
        try await upload()
        try await timeOut()
        try await serverError()
        try await cancel()
        try await japanesePage()
        await client.close()
    }

    /// Sends one call with closures. The result arrives on the main actor.
    private static func send(
        _ request: Request, by client: Client, progress: (@MainActor @Sendable (CallProgress) -> Void)? = nil,
        afterStart: (Call) -> Void = { _ in }
    ) async -> Result<Response, CallError> {
        let (results, sink) = AsyncStream.makeStream(of: Result<Response, CallError>.self)
        let call = client.start(request, progress: progress) { result in
            sink.yield(result)
            sink.finish()
        }
        afterStart(call)
        for await result in results { return result }
        return .failure(CallError(.cancelled, "the call gave no answer"))
    }

    private func upload() async throws {
        let bar = ProgressBar()
        // A slow disk, so that the bar can be seen to move.
        let photo = RequestBody.stream(length: Int64(Self.photoBytes), contentType: "image/jpeg") {
            AsyncStream { sink in
                Task {
                    for _ in 0..<Self.pieces {
                        sink.yield([UInt8](repeating: 0xD8, count: Self.photoBytes / Self.pieces))
                        try await Task.sleep(for: .milliseconds(80))
                    }
                    sink.finish()
                }
            }
        }
        let request = Request(.post, "upload", body: photo)
        let response = try await Self.send(request, by: client, progress: { bar.take($0) }).get()
        let record = try await server.request("/upload")
        ledger.show(record)
        ledger.compare("bytes that arrived", record.bodyByteCount, with: Self.photoBytes)
        ledger.compare("Content-Length", record["Content-Length"], with: "\(Self.photoBytes)")
        ledger.compare(
            "progress came several times", await bar.reports >= 3 ? "yes" : "\(await bar.reports)", with: "yes")
        ledger.compare("the last progress", Int(await bar.last), with: Self.photoBytes)
        ledger.compare("progress never goes back", await bar.wentBack ? "it did" : "no", with: "no")
        ledger.show(response.timings)
    }

    private func timeOut() async throws {
        var request = Request(.post, "delay/10", body: .text("slow"))
        request.timeouts.total = .milliseconds(200)
        let start = ContinuousClock.now
        let result = await Self.send(request, by: client)
        let time = ContinuousClock.now - start
        // 200 ms may have been too short to send the request.
        if let record = await server.requestSoFar("/delay") { ledger.show(record) }
        if case .failure(let error) = result {
            ledger.write("  ! \(error.description.split(whereSeparator: \.isNewline).first ?? "")")
            ledger.compare("the timeout fires for a POST", error.timeout?.rawValue, with: "total")
        } else {
            ledger.compare("the timeout fires for a POST", "it did not", with: "total")
        }
        ledger.compare(
            "not before its 200 ms", time >= .milliseconds(200) ? "yes" : "\(time)", with: "yes")
        ledger.compare("long before the server's 10 s", time < .seconds(5) ? "yes" : "\(time)", with: "yes")
    }

    private func serverError() async throws {
        let response = try await Self.send(Request(.post, "status/503"), by: client).get()
        ledger.show(try await server.request("/status"))
        ledger.compare("a 503 arrives as an answer", response.statusCode, with: 503)
        ledger.show(response.timings)
    }

    private func cancel() async throws {
        // The request is on its way when the call is cancelled.
        let client = client
        let (calls, sink) = AsyncStream.makeStream(of: Call.self)
        async let sent = Self.send(Request(.get, "delay/5"), by: client, afterStart: { sink.yield($0) })
        ledger.show(try await server.request("/delay/5"))
        for await call in calls {
            call.cancel()
            break
        }
        let result = await sent
        if case .failure(let error) = result {
            ledger.compare("a cancelled call says so", error.kind.rawValue, with: "cancelled")
        } else {
            ledger.compare("a cancelled call says so", "it did not", with: "cancelled")
        }
    }

    private func japanesePage() async throws {
        let response = try await Self.send(Request(.get, "euc-jp"), by: client).get()
        ledger.show(try await server.request("/euc-jp"))
        let text = try await response.text()
        for line in text.split(whereSeparator: \.isNewline) { ledger.write("  < \(line)") }
        ledger.compare("the page as UTF-8", text, with: Self.page)
        ledger.show(response.timings)

        let mislabelled = Request(.get, "euc-jp", query: ["charset": "utf-8"])
        let wrong = try await Self.send(mislabelled, by: client).get()
        ledger.show(try await server.request("/euc-jp"))
        ledger.compare("the same page with a wrong label", try await wrong.text(charset: .eucJP), with: Self.page)
    }
}

#endif
