// MessageHookTests: a hook may transform a body, and an observer sees the result.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

/// Makes ASCII letters upper case, letter by letter.
private final class UpperCase: BodyTransform {
    private let input = Mutex<Bytes?>(nil)

    func push(_ input: Bytes) { self.input.withLock { $0 = input } }

    func pull() throws(CallError) -> Bytes? {
        let piece = input.withLock { input in
            defer { input = nil }
            return input
        }
        return piece.map { Bytes($0.map { 0x61...0x7A ~= $0 ? $0 - 0x20 : $0 }) }
    }

    func finish() throws(CallError) {}
}

private struct Loud: MessageHook {
    let ends: Mutex<[CallError.Kind?]>.Box

    func didReceive(_ response: inout Response) throws(CallError) {
        response.body.transform(by: UpperCase())
        response.body.atEnd { error in ends.append(error?.kind) }
    }
}

extension Mutex where Value == [CallError.Kind?] {
    fileprivate final class Box: Sendable {
        private let values = Mutex<[CallError.Kind?]>([])

        func append(_ kind: CallError.Kind?) { values.withLock { $0.append(kind) } }
        var all: [CallError.Kind?] { values.withLock { $0 } }
    }
}

/// Sends each request to another host, as one that it makes anew.
private struct Mirror: MessageHook {
    func willSend(_ request: inout Request) throws(CallError) {
        guard request.uri?.host == "api.example" else { return }
        request = Request(
            request.method, url: "https://mirror.example/x", headers: request.headers, body: request.body)
    }
}

/// Makes each request anew, for the same URL and with a setting of its own.
private struct Remake: MessageHook {
    func willSend(_ request: inout Request) throws(CallError) {
        var new = Request(
            request.method, url: request.uri?.string ?? "", headers: request.headers, body: request.body)
        new.timeouts.total = .seconds(9)
        request = new
    }
}

@Suite(.timeLimit(.minutes(2))) struct MessageHookTests {
    @Test func `a request that a hook makes anew keeps its origin and its codings`() async throws {
        let coded = RequestBody.text("hello").compressed()
        let stub = StubTransport {
            $0.on("*").respond(headers: [.contentEncoding: "gzip"], body: coded.bytes ?? Bytes())
        }
        let client = Client("https://api.example", transport: stub) {
            $0.authentication = .bearer("t0ken")
            $0.interceptors = [Remake()]
        }
        let foreign = try await client.get(url: "https://other.example/x")
        #expect(foreign.bytes == Bytes("hello") && stub.requests.last?.headers[.authorization] == nil)
        let wired = client.with { ($0.interceptors, $0.wireInterceptors) = ([], [Remake()]) }
        #expect(try await wired.get("x").bytes == Bytes("hello"))
    }

    @Test func `BAD-INPUT 21: a mirror that a hook chose gets no credentials by its redirects`() async throws {
        let stub = StubTransport {
            $0.on("https://mirror.example/x").respond(status: .found, headers: [.location: "https://api.example/y"])
                .respond(status: .found, headers: [.location: "https://mirror.example/z"])
            $0.on("https://mirror.example/z").respond(text: "end")
        }
        let client = Client("https://api.example", transport: stub) {
            $0.authentication = .bearer("t0ken")
            $0.wireInterceptors = [Mirror()]
        }
        let response = try await client.get("x")
        #expect(response.bytes == Bytes("end") && stub.requests.count == 3)
        #expect(stub.requests.allSatisfy { $0.headers[.authorization] == nil }, "\(stub.requests)")
    }

    @Test(arguments: [true, false])
    func `BAD-INPUT 21: a hook that sends a request elsewhere gives away none of the client's credentials`(
        isOnTheWire: Bool
    ) async throws {
        let stub = StubTransport { $0.on("https://mirror.example/x").respond(text: "mirror") }
        let client = Client("https://api.example", transport: stub) {
            $0.authentication = .bearer("t0ken")
            $0.headers["X-Key"] = "s3cret"
            $0.secrets = ["X-Own"]
            if isOnTheWire { $0.wireInterceptors = [Mirror()] } else { $0.interceptors = [Mirror()] }
        }
        let response = try await client.send(Request(.get, "x", headers: ["X-Own": "0wn", "X-Plain": "1"]))
        let sent = try #require(stub.requests.first)
        #expect(response.bytes == Bytes("mirror") && sent.uri?.host == "mirror.example")
        #expect(sent.headers[.authorization] == nil && sent.headers["X-Key"] == nil && sent.headers["X-Own"] == nil)
        #expect(sent.headers["X-Plain"] == "1")
        // A request that was made anew knows what its client withholds.
        #expect(!sent.redaction.url("https://a.example/?x-own=0wn").contains("0wn"))
    }

    @Test func `a hook changes the body where it is read, and is told of its end once`() async throws {
        let ends = Mutex<[CallError.Kind?]>.Box()
        let server = try await ScriptedServer.start { request in
            switch request.target {
            case "/whole": .ok("hello")
            case "/cut": [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .close]
            default: .stream(nil)
            }
        }
        try await serving(server, { $0.interceptors = [Loud(ends: ends)] }) { server, client in
            #expect(try await client.get("whole").bytes == Bytes("HELLO"))
            #expect(ends.all == [nil])
            let error = try await failure {
                try await client.stream(Request(.get, "cut")) { response in
                    for try await _ in response.body {}
                }
            }
            #expect(error.kind == .incompleteResponse)
            #expect(ends.all == [nil, .incompleteResponse])
            try await client.stream(Request(.get, "endless")) { response in
                var body = response.body.makeAsyncIterator()
                let piece = try await body.next()
                #expect(piece?.first == 0x58)
            }
            #expect(ends.all == [nil, .incompleteResponse, .cancelled])
        }
    }

    @Test(arguments: [5, 40_000])
    func `an observer that asks for bodies gets so much of each, once, and no other observer does`(
        size: Int
    ) async throws {
        let content = [UInt8](repeating: 0x61, count: size)
        try await serving(try await ScriptedServer.start { .ok($0.body) }) { server, client in
            let (curious, plain) = (EventLog(), EventLog())
            let observations = [client.observe(bodies: 4) { curious.add($0) }, plain.observe(client)]
            _ = try await client.post(url: server.url, body: .bytes(content))
            let bodies = curious.events.compactMap { event in
                switch event.kind {
                case .requestBody(let body, _), .responseBody(let body, _): body
                default: nil as Bytes?
                }
            }
            #expect(bodies == [Bytes("aaaa"), Bytes("aaaa")])
            #expect(curious.names.last == "finished")
            #expect(!plain.names.contains("requestBody") && !plain.names.contains("responseBody"))
            withExtendedLifetime(observations) {}
        }
    }
}
