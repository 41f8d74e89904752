// LoginDemo: a form login that reports to a delegate, and a second call that uses its session.
#if Server && XML
import HTTPBin
import Tsubame

/// Reports success or failure, the two delegate methods that mattered.
@MainActor
private final class LoginListener: CallDelegate {
    private let outcomes: AsyncStream<Result<Response, CallError>>
    private let sink: AsyncStream<Result<Response, CallError>>.Continuation

    init() { (outcomes, sink) = AsyncStream.makeStream() }

    func call(_ call: Call, didFinish response: Response) { sink.yield(.success(response)) }
    func call(_ call: Call, didFailWith error: CallError) { sink.yield(.failure(error)) }

    func send(_ request: Request, by client: Client) async throws -> Response {
        client.start(request, delegate: self)
        for await outcome in outcomes { return try outcome.get() }
        throw CallError(.cancelled, "the call gave no answer")
    }
}

struct LoginDemo {
    private static let form =
        "name=swallow&password=p%40ss%20w%26rd%3D100%25%2B%E7%87%95%3B%2F%3F%23%5B%5D"

    private let server: DemoServer
    private let ledger: DemoLedger
    private let client: Client

    init(_ server: DemoServer, _ ledger: DemoLedger) {
        self.server = server
        self.ledger = ledger
        client = server.watched(
            Client(server.url) {
                $0.cookies = .memory
                $0.timeouts.total = .seconds(10)
            })
    }

    func run() async throws {
        ledger.title("2. A form login that reports to a delegate, and the page after it (sample account)")
        var login = Request(
            .post, "login",
            body: .form(["name": HTTPBin.sampleAccount.name, "password": HTTPBin.sampleAccount.password]))
        login.cachePolicy = .reload
        let listener = await LoginListener()
        let answer = try await listener.send(login, by: client)
        let record = try await server.request("/login")
        ledger.show(record)
        ledger.compare("body", record.body, with: Self.form)
        ledger.compare("Content-Type", record["Content-Type"], with: "application/x-www-form-urlencoded")
        ledger.compare("Content-Length", record["Content-Length"], with: "\(Self.form.utf8.count)")
        ledger.compare("reload, ignore the cache", record["Cache-Control"], with: "no-cache")
        ledger.compare("status", answer.statusCode, with: 200)
        ledger.show(answer.timings)

        let page = try await listener.send(Request(.get, "me"), by: client)
        let visit = try await server.request("/me")
        ledger.show(visit)
        let session = answer.headers[.setCookie]?.prefix { $0 != ";" } ?? "(no cookie)"
        ledger.compare("the session's cookie", visit["Cookie"], with: String(session))
        ledger.compare("who is signed in", try await page.json(Me.self).name, with: "swallow")
        ledger.show(page.timings)
        await client.close()
    }

    private struct Me: Decodable, Sendable {
        let name: String
    }
}

#endif
