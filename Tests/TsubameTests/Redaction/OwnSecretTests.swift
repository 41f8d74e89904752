// OwnSecretTests: names that a client declares secret are withheld in every text about a call.

import HTTPTypes
import Logging
import Testing
import Tsubame
import TsubameTesting

@Suite struct OwnSecretTests {
    /// Keeps every line.
    private struct ListHandler: LogHandler {
        let lines: Log<String>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add("\(event.message)") }
    }

    /// A call through a client with the secret name `pin`, and all texts about the call.
    private func told(
        _ stub: StubTransport, base: String = "https://a.example",
        _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (Client) async throws -> Void
    ) async throws -> [String] {
        let (lines, events) = (Log<String>(), Log<String>())
        let client = Client(base, transport: stub) {
            $0.secrets = ["pin"]
            $0.logger = Logger(label: "test") { _ in ListHandler(lines: lines) }
            configure(&$0)
        }
        let observation = client.observe { events.add("\($0.kind) \($0)") }
        try await body(client)
        observation.cancel()
        return lines.all + events.all + ["\(client)"]
    }

    private func check(_ texts: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(texts.contains { $0.contains("pin=[redacted]") }, "\(texts)", sourceLocation: sourceLocation)
        #expect(!texts.contains { $0.contains("s3cret") }, "\(texts)", sourceLocation: sourceLocation)
    }

    @Test func `FAULT 13, BAD-INPUT 20: in resend reasons, Locations, responses and logs`() async throws {
        let stub = StubTransport {
            $0.on("/x").respond(status: .found, headers: [.location: "/y?pin=s3cret"])
            $0.on("/y").respond(headers: [.contentLocation: "/z?pin=s3cret"])
        }
        var response: Response?
        let texts = try await told(stub, base: "https://a.example/?pin=s3cret") { response = try await $0.get("x") }
        check(texts)
        #expect(texts.contains { $0.contains("302 to https://a.example/y?pin=[redacted]") })
        let last = try #require(response)
        check(["\(last)", "\(last.headers)", "\(last.wire)"])
        check(last.history.map { "\($0) \($0.headers)" })
    }

    @Test(
        "FAULT 13, BAD-INPUT 20: in redirects that are not followed, and in their errors",
        arguments: ["http://a.example/?pin=s3cret", "https://a.example:0/?pin=s3cret", "https://b.example/?pin=s3cret"])
    func notFollowed(location: String) async throws {
        let stub = StubTransport { $0.on("*").respond(status: .found, headers: [.location: location]) }
        var error: CallError?
        let texts = try await told(stub) {
            $0.redirects = .rule { $0.request.uri?.host == "b.example" ? .giveBack("not there") : .standard }
        } _: { client in
            do throws(CallError) { _ = try await client.get("x") } catch let failure { error = failure }
        }
        check(texts + [error.map { "\($0)" } ?? ""])
    }

    @Test func `FAULT 13: in a request that an interceptor or a rule made anew`() async throws {
        let stub = StubTransport {
            $0.on("/x").respond(status: .found, headers: [.location: "/y"])
            $0.on("/y").respond(headers: [.contentLocation: "/z?pin=s3cret"])
        }
        let uri = try TargetURI(parsing: "https://a.example/y?pin=s3cret")
        check(
            try await told(stub) {
                $0.interceptors = [
                    InterceptorTests.TestInterceptor { _, next in try await next(Request(.get, uri: uri)) }
                ]
            } _: {
                _ = try await $0.get("x")
            })
        check(
            try await told(stub) {
                $0.redirects = .rule { _ in .follow(Request(.get, uri: uri)) }
            } _: {
                _ = try await $0.get("x")
            })
    }
}
