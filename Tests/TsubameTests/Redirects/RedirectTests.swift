// RedirectTests: redirects over sockets: the requests that each server receives.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    private static let own: [HTTPField.Name] = [.authorization, .proxyAuthorization, .cookie, .from, .referer]

    /// Redirects from `/start` to `location`, and answers 200 to everything else.
    private static func server(to location: String, tls: TLSIdentity? = nil) async throws -> ScriptedServer {
        try await .start(tls: tls) { $0.path == "/start" ? .redirect(to: location) : .ok("end") }
    }

    /// Sets the client's defaults of every kind.
    private static func furnish(_ configuration: inout Configuration) {
        configuration.headers[.from] = "the client's default"
        configuration.authentication = .basic(user: "user", password: "pw")
        configuration.interceptors = [CommonParameters { ["deviceId": "device"] }]
    }

    private static let request = Request(
        .get, "start", headers: [.proxyAuthorization: "Basic s3cret", .cookie: "a=b", .accept: "text/html"])

    @Test(
        "BAD-INPUT 21: another host or port gets none of the caller's credentials, defaults and parameters",
        arguments: ["b.example:80", "www.a.example:80", "a.example:81"])
    func foreign(authority: String) async throws {
        let server = try await Self.server(to: "http://\(authority)/end?x=1")
        try await serving(server, base: "http://a.example") {
            Self.furnish(&$0)
            $0.connection.resolve = hosts(["a.example:80", authority], at: server)
        } _: { server, client in
            let response = try await client.send(Self.request)
            #expect(response.statusCode == 200)
            let first = try await server.request(0)
            #expect(first.target == "/start?deviceId=device")
            #expect(first["authorization"] == "Basic dXNlcjpwdw==")
            #expect(first["proxy-authorization"] == "Basic s3cret" && first["cookie"] == "a=b")
            #expect(first["from"] == "the client's default")
            let second = try await server.request(1)
            #expect(second.target == "/end?x=1")
            #expect(second["host"] == authority.replacing(":80", with: ""))
            #expect(second["accept"] == "text/html")
            for name in Self.own { #expect(second[name.rawName] == nil, "\(name)") }
        }
    }

    @Test("BAD-INPUT 21: another scheme is another origin") func otherScheme() async throws {
        let secure = try await ScriptedServer.start(tls: .localhost)
        try await secure.use { secure in
            let server = try await Self.server(to: "https://a.example/end")
            try await serving(server, base: "http://a.example") {
                Self.furnish(&$0)
                $0.connection.tls.verification = .dangerouslyOff
                $0.connection.resolve = hosts(["a.example:80"], at: server)
                $0.connection.resolve["a.example:443"] = "127.0.0.1:\(secure.port)"
            } _: { server, client in
                #expect(try await client.send(Self.request).statusCode == 200)
                let second = try await secure.request(0)
                #expect(second.target == "/end")
                for name in Self.own { #expect(second[name.rawName] == nil, "\(name)") }
            }
        }
    }

    @Test("BAD-INPUT 21: from a to b to b and home again, what was dropped stays dropped") func thereAndBack()
        async throws
    {
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/start": .redirect(to: "http://b.example/1")
            case "/1": .redirect(to: "/2")
            case "/2": .redirect(to: "http://a.example/end")
            default: .ok("end")
            }
        }
        try await serving(server, base: "http://a.example") {
            Self.furnish(&$0)
            $0.connection.resolve = hosts(["a.example:80", "b.example:80"], at: server)
        } _: { server, client in
            let response = try await client.send(Self.request)
            #expect(response.history.map(\.statusCode) == [302, 302, 302])
            #expect(
                (response.history + [response]).map { $0.request.uri?.string } == [
                    "http://a.example/start?deviceId=device", "http://b.example/1", "http://b.example/2",
                    "http://a.example/end",
                ])
            #expect(server.requests[0]["authorization"] != nil)
            for request in server.requests[1...] {
                for name in Self.own { #expect(request[name.rawName] == nil, "\(request) \(name)") }
            }
        }
    }

    @Test func `an allowed origin gets what the client's own gets, and so does home after it`() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/start": .redirect(to: "http://b.example/1")
            case "/1": .redirect(to: "http://a.example/end")
            default: .ok("end")
            }
        }
        try await serving(server, base: "http://a.example") {
            Self.furnish(&$0)
            if let origin = Origin("http://b.example") { $0.allowedOrigins = [origin] }
            $0.connection.resolve = hosts(["a.example:80", "b.example:80"], at: server)
        } _: { server, client in
            _ = try await client.send(Self.request)
            #expect(server.requests.map { $0["host"] } == ["a.example", "b.example", "a.example"])
            for request in server.requests {
                #expect(request["authorization"] == "Basic dXNlcjpwdw==" && request["from"] != nil)
                #expect(request["proxy-authorization"] == "Basic s3cret" && request["cookie"] == "a=b")
            }
        }
    }

    @Test(
        "BAD-INPUT 22: a Location that must not be followed gives the response back and says why",
        arguments: [
            (
                "http://a.example/x",
                "the redirect from https to http://a.example/x is not followed: it would be unprotected"
            ),
            ("", "the redirect is not followed: its Location is empty"),
            ("file:///etc/passwd", "the redirect to a file: URI is not followed"),
            ("data:text/plain,x", "the redirect to a data: URI is not followed"),
            ("unix:/run/app.sock", "the redirect to a unix: URI is not followed"),
        ])
    func notFollowed(location: String, why: String) async throws {
        let server = try await Self.server(to: location, tls: .localhost)
        try await serving(server) {
            $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
        } _: { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let response = try await client.get("start")
            #expect(response.statusCode == 302)
            #expect(response.history.isEmpty)
            #expect(events.decisions == [why])
            #expect(server.requests.count == 1)
            observation.cancel()
        }
    }

    @Test(
        "BAD-INPUT 22: two Locations, or one with a NUL, are an error",
        arguments: [
            ("Location: /x\r\nLocation: /y\r\n", CallError.Kind.redirect),
            ("Location: /x\0y\r\n", .invalidResponse), ("Location: http://a b/\r\n", .redirect),
        ])
    func wrongLocation(fields: String, kind: CallError.Kind) async throws {
        let server = try await ScriptedServer.start { _ in
            .bytes("HTTP/1.1 302 Found\r\n\(fields)Content-Length: 0\r\n\r\n")
        }
        try await serving(server) { server, client in
            let error = await callError { _ = try await client.get("start") }
            #expect(error?.kind == kind)
            #expect(server.requests.count == 1)
        }
    }

    @Test("BAD-INPUT 22: a loop ends with an error that has the history") func loop() async throws {
        let server = try await ScriptedServer.start { $0.path == "/a" ? .redirect(to: "/b") : .redirect(to: "/a") }
        try await serving(server) {
            $0.redirects = .follow(max: 5)
        } _: { server, client in
            let error = try #require(await callError { _ = try await client.get("a") })
            #expect(error.kind == .redirect)
            #expect(error.reason == "more than 5 redirects")
            #expect(error.response?.history.map { $0.request.uri?.path } == ["/a", "/b", "/a", "/b", "/a"])
            #expect(error.request?.uri?.path == "/b")
            #expect(server.requests.count == 6)
        }
    }

    @Test("BAD-INPUT 23: a redirect's body is read away, and its connection used again", arguments: [false, true])
    func drained(streams: Bool) async throws {
        let server = try await ScriptedServer.start(replies: [
            [
                .bytes("HTTP/1.1 302 Found\r\nLocation: /end\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .pieces([UInt8](repeating: 0x78, count: 50_000).chunks), .bytes("0\r\n\r\n"),
            ], .ok("end"),
        ])
        try await serving(server) { server, client in
            let request = Request(.get, "start")
            let text = try await client.text(of: request, streaming: streams)
            #expect(text == "end")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test("BAD-INPUT 23: a redirect whose body does not end is closed and followed", arguments: [false, true])
    func huge(streams: Bool) async throws {
        let server = try await ScriptedServer.start(replies: [
            [
                .bytes("HTTP/1.1 302 Found\r\nLocation: /end\r\nConnection: close\r\n\r\n"),
                .repeating([UInt8](repeating: 0x78, count: 16 << 10)),
            ], .ok("end"),
        ])
        try await serving(server) { server, client in
            let request = Request(.get, "start")
            let text = try await client.text(of: request, streaming: streams)
            #expect(text == "end")
            #expect(server.acceptedConnections == 2)
            try await server.waitUntil(openConnections: 1)
            #expect(server.sentBodyBytes < 16 << 20)
        }
    }

    @Test(
        "BAD-INPUT 23: a redirect whose body stalls or is cut off is closed and followed",
        arguments: [Reply.Step.stall, .close], [false, true])
    func unfinished(end: Reply.Step, streams: Bool) async throws {
        let server = try await ScriptedServer.start(replies: [
            [.bytes("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 10\r\n\r\nabc"), end], .ok("end"),
        ])
        try await serving(server) { server, client in
            let text = try await client.text(of: Request(.get, "start"), streaming: streams)
            #expect(text == "end")
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test("BAD-INPUT 23: a redirect's body is never decoded", arguments: [false, true])
    func notDecoded(streams: Bool) async throws {
        let body = "this is no gzip"
        let server = try await ScriptedServer.start(replies: [
            [
                .bytes("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Encoding: gzip\r\nContent-Length: 15\r\n\r\n"),
                .bytes(body),
            ], .ok("end"),
        ])
        try await serving(server) { server, client in
            let request = Request(.get, "start")
            let text = try await client.text(of: request, streaming: streams)
            #expect(text == "end")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(
        "BAD-INPUT 24: method and body go on the wire as the status says",
        arguments: [
            (301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "name=value"),
            (308, "POST", "name=value"),
        ])
    func method(status: Int, method: String, body: String) async throws {
        let server = try await ScriptedServer.start(replies: [
            .redirect(to: "/end", status: .init(code: status)), .ok("end"),
        ])
        try await serving(server) { server, client in
            let response = try await client.post("start", form: ["name": "value"])
            #expect(response.statusCode == 200)
            let second = try await server.request(1)
            #expect(second.method == method)
            #expect(second.text == body)
            #expect(second["content-type"] == (body.isEmpty ? nil : "application/x-www-form-urlencoded"))
            #expect(second["content-length"] == (body.isEmpty ? nil : "10"))
        }
    }

    @Test(
        "BAD-INPUT 24: other methods than POST go on as the status says",
        arguments: [
            (301, "PUT", "PUT"), (302, "PUT", "PUT"), (303, "PUT", "GET"), (307, "PUT", "PUT"), (308, "PUT", "PUT"),
            (301, "DELETE", "DELETE"), (302, "DELETE", "DELETE"), (303, "DELETE", "GET"), (307, "PATCH", "PATCH"),
            (301, "HEAD", "HEAD"), (302, "HEAD", "HEAD"), (303, "HEAD", "HEAD"), (308, "HEAD", "HEAD"),
        ])
    func otherMethods(status: Int, first: String, second: String) async throws {
        let server = try await ScriptedServer.start(replies: [
            .redirect(to: "/end", status: .init(code: status)), .ok(first == "HEAD" ? "" : "end"),
        ])
        try await serving(server) { server, client in
            let method = try #require(HTTPRequest.Method(first))
            let body: RequestBody = first == "HEAD" ? .empty : .text("value")
            let response = try await client.send(Request(method, "start", body: body))
            #expect(response.statusCode == 200)
            let last = try await server.request(1)
            #expect(last.method == second && last.text == (second == first && first != "HEAD" ? "value" : ""))
        }
    }

    @Test("BAD-INPUT 24: a body that can be sent once gives the response back") func oneShot() async throws {
        let server = try await ScriptedServer.start { _ in .redirect(to: "/end", status: .temporaryRedirect) }
        try await serving(server) { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let pieces = AsyncStream<Bytes> {
                $0.yield(Bytes("hello"))
                $0.finish()
            }
            let response = try await client.post("start", body: .stream(once: pieces))
            #expect(response.statusCode == 307)
            #expect(events.decisions == ["the redirect is not followed: the body can be sent only once"])
            #expect(server.requests.count == 1)
            #expect(try await server.request(0).text == "hello")
            observation.cancel()
        }
    }

    @Test("BAD-INPUT 24: a stream that can be opened again is sent again") func streamAgain() async throws {
        let server = try await ScriptedServer.start(replies: [
            .redirect(to: "/end", status: .permanentRedirect), .ok("end"),
        ])
        try await serving(server) { server, client in
            let body = RequestBody.stream {
                AsyncStream<Bytes> {
                    $0.yield(Bytes("hel"))
                    $0.yield(Bytes("lo"))
                    $0.finish()
                }
            }
            _ = try await client.put("start", body: body)
            #expect(try await server.request(0).text == "hello")
            #expect(try await server.request(1).text == "hello")
        }
    }

    @Test func `a redirect is seen as an event and kept in the history`() async throws {
        let server = try await ScriptedServer.start(replies: [
            .redirect(to: "next?token=s3cret"), .redirect(to: "/end#part", status: .seeOther), .ok("end"),
        ])
        try await serving(server) { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let response = try await client.get("dir/start")
            #expect(server.requests.map(\.target) == ["/dir/start", "/dir/next?token=s3cret", "/end"])
            #expect(
                events.resendings == [
                    "302 to \(server.url)/dir/next?token=[redacted]", "303 to \(server.url)/end#part",
                ])
            #expect(response.history.map(\.statusCode) == [302, 303])
            #expect(response.history.flatMap(\.history).isEmpty)
            #expect(response.request.uri?.fragment == "part")
            #expect(events.ends.count == 1)
            observation.cancel()
        }
    }

    @Test func `with redirects off a 3xx is the answer`() async throws {
        let server = try await Self.server(to: "/end")
        try await serving(server) {
            $0.redirects = .off
        } _: { server, client in
            let response = try await client.get("start")
            #expect(response.statusCode == 302)
            #expect(server.requests.count == 1)
        }
    }
}

extension Client {
    fileprivate func text(of request: Request, streaming: Bool) async throws -> String {
        if streaming { return try await stream(request) { try await $0.text() } }
        return try await send(request).text()
    }
}

extension [UInt8] {
    /// These bytes as chunks of 10,000 (RFC 9112 section 7.1).
    fileprivate var chunks: [[UInt8]] {
        stride(from: 0, to: count, by: 10_000).map { start in
            let piece = self[start..<Swift.min(start + 10_000, count)]
            return Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
        }
    }
}
