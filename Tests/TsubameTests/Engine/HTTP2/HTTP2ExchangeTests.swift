// HTTP2ExchangeTests: the frames that one exchange over HTTP/2 sends, and its response (RFC 9113 section 8).

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HTTP2ExchangeTests {
    @Test func `a request is four pseudo-fields and the fields, in lower case and in their order`() async throws {
        let log = Log<[String]>()
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            log.add(request.lines)
            #expect(request.endsStream)
            try await connection.respond(
                request.stream, [("server", "peer"), ("x-y", "1"), ("x-y", "2")], text: "hello")
        } client: { peer, client in
            let fields: RequestHeaders = [.accept: "text/plain", .authorization: "Bearer t", .userAgent: "t"]
            let request = Request(.get, url: "\(peer.url)/a/b?c=d", headers: fields)
            let response = try await client.send(request)
            #expect(response.version == .http2)
            #expect(response.status == .ok && response.status.reasonPhrase == "")
            #expect(response.headers[values: .made("X-Y")] == ["1", "2"])
            #expect(response.bytes == Bytes("hello"))
            #expect(response.connection?.version == .http2)
            #expect(response.connection?.description.contains("HTTP/2") == true)
            let sent = try #require(log.all.first)
            #expect(
                sent.prefix(4) == [
                    ":method: GET", ":scheme: http", ":authority: 127.0.0.1:\(peer.port)", ":path: /a/b?c=d",
                ])
            let order = sent.dropFirst(4).filter { !$0.hasPrefix("accept-encoding") }
            #expect(Array(order) == ["accept: text/plain", "authorization: Bearer t", "user-agent: t"])
        }
    }

    @Test func `what is of HTTP/1's connections alone is not sent; Host is the authority, cookies are one field`()
        async throws
    {
        let log = Log<[String]>()
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            log.add(request.lines)
            try await connection.respond(request.stream)
        } client: { peer, client in
            var fields: RequestHeaders = [.connection: "close", .te: "gzip", .proxyAuthorization: "Basic eDp5"]
            for (name, value) in [
                ("Keep-Alive", "5"), ("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABk"), ("Host", "other.example"),
                ("Cookie", "a=1"), ("Cookie", "b=2"),
            ] {
                fields.append(HTTPField(name: .made(name), value: value))
            }
            _ = try await client.send(Request(.get, url: peer.url, headers: fields))
            let sent = try #require(log.all.first)
            #expect(sent.contains(":authority: other.example"))
            #expect(sent.contains("cookie: a=1; b=2"))
            for name in ["connection", "te", "proxy-authorization", "keep-alive", "upgrade", "http2-settings", "host"] {
                #expect(!sent.contains { $0.hasPrefix(name + ":") })
            }
        }
    }

    @Test func `a field that must not be sent fails its call, and the connection carries the next`() async throws {
        try await withPeer {
            try await $0.echo()
        } client: { peer, client in
            _ = try await client.get(url: "\(peer.url)/1")
            var request = Request(.get, url: "\(peer.url)/2")
            request.headers[.contentLength] = "3"
            let refused = request
            #expect(try await failure { try await client.send(refused) }.kind == .invalidRequest)
            let third = try await client.get(url: "\(peer.url)/3")
            #expect(third.bytes == Bytes("/3") && third.connection?.isReused == true)
        }
    }

    @Test(arguments: [0, 5, 32 << 10, 200_000, 3_000_000])
    func `a body goes up whole, with its length, however the windows cut it`(_ count: Int) async throws {
        let log = Log<[UInt8]>()
        let lengths = Log<String>()
        let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await withPeer(settings: [(4, 40_000)]) { connection in
            let request = try await connection.nextRequest()
            lengths.add(request["content-length"] ?? "none")
            log.add(try await connection.body(of: request.stream))
            #expect(connection.frames.allSatisfy { $0.payload.count <= 16_384 })
            try await connection.respond(request.stream, text: "done")
        } client: { peer, client in
            // Bytes that are sent before the peer's settings arrive may use the default window.
            let response = try await client.send(Request(.post, url: peer.url, body: .bytes(Bytes(sent))))
            #expect(response.bytes == Bytes("done"))
            #expect(log.all == [sent])
            #expect(lengths.all == ["\(count)"])
        }
    }

    @Test func `a body of unknown length goes as it comes, without a length, with trailers behind it`() async throws {
        let log = Log<String>()
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            #expect(request["content-length"] == nil && request["transfer-encoding"] == nil)
            log.add(String(decoding: try await connection.body(of: request.stream), as: UTF8.self))
            log.add(try await connection.trailers(of: request.stream).map(\.description).joined())
            try await connection.respond(request.stream)
        } client: { peer, client in
            let body = RequestBody.stream { ExpectTests.Pieces(["one ", "two ", "three"]) }.with {
                [.made("X-Sum"): "3"]
            }
            _ = try await client.send(Request(.post, url: peer.url, body: body)).accepted()
            #expect(log.all == ["one two three", "x-sum: 3"])
        }
    }

    @Test func `trailers of the response are given once the body has been read`() async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.sendHeaders(request.stream, [(":status", "200")])
            try await connection.sendData(request.stream, "body")
            try await connection.sendHeaders(request.stream, [("x-sum", "4"), ("set-cookie", "a=b")], endStream: true)
        } client: { peer, client in
            let response = try await client.get(url: peer.url)
            #expect(response.bytes == Bytes("body"))
            #expect(response.trailers?[.made("X-Sum")] == "4")
            // A trailer must not change the fields of the head.
            #expect(response.trailers?[.setCookie] == nil)
        }
    }

    @Test func `informational responses are told, and the final one is given`() async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.sendHeaders(request.stream, [(":status", "103"), ("link", "</a>")])
            try await connection.respond(request.stream, text: "ok")
        } client: { peer, client in
            let events = EventLog()
            let observation = events.observe(client)
            let answer = try await client.get(url: peer.url).bytes
            #expect(answer == Bytes("ok"))
            withExtendedLifetime(observation) {}
            let told = events.events.compactMap { event in
                if case .informational(let status, let fields) = event.kind {
                    "\(status) \(fields[.made("Link")] ?? "")"
                } else {
                    nil
                }
            }
            #expect(told == ["103 </a>"])
        }
    }

    @Test func `HEAD, 204 and 304 have no body, whatever their length says`() async throws {
        try await withPeer { connection in
            for status in [200, 204, 304] {
                let request = try await connection.nextRequest()
                let length = status == 204 ? [] : [("content-length", "9")]
                try await connection.sendHeaders(request.stream, [(":status", "\(status)")] + length, endStream: true)
            }
        } client: { peer, client in
            let head = try await client.send(Request(.head, url: peer.url))
            #expect(head.statusCode == 200 && head.headers[.contentLength] == "9" && head.bytes.count == 0)
            #expect(try await client.get(url: peer.url).statusCode == 204)
            #expect(try await client.get(url: peer.url).statusCode == 304)
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `with Expect the body waits for the server's word, and a refusal keeps it back`() async throws {
        let log = Log<Int>()
        try await withPeer { connection in
            let first = try await connection.nextRequest()
            #expect(!first.endsStream && first["expect"] == "100-continue")
            #expect(!connection.frames.contains { $0.kind == .data })
            try await connection.sendHeaders(first.stream, [(":status", "100")])
            log.add(try await connection.body(of: first.stream).count)
            try await connection.respond(first.stream)
            let second = try await connection.nextRequest()
            try await connection.respond(second.stream, status: 413)
            _ = try await connection.frame("the end of it") { $0.kind == .reset && $0.stream == second.stream }
            #expect(!connection.frames.contains { $0.kind == .data && $0.stream == second.stream })
        } client: { peer, client in
            let request = Request(
                .post, url: peer.url, headers: [.expect: "100-continue"], body: .bytes(Bytes("twelve bytes")))
            let statuses = [try await client.send(request).statusCode, try await client.send(request).statusCode]
            #expect(statuses == [200, 413])
            #expect(log.all == [12])
        }
    }

    @Test func `an answer before the body's end is given, and the rest of the body is not sent`() async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.respond(request.stream, status: 413, text: "too much")
            _ = try await connection.frame("the end of the body") { $0.kind == .reset && $0.stream == request.stream }
            try await connection.echo()
        } client: { peer, client in
            let large = Request(.post, url: peer.url, body: .bytes(Bytes(repeatElement(0, count: 1 << 20))))
            let response = try await client.send(large)
            #expect(response.statusCode == 413 && response.bytes == Bytes("too much"))
            // NO_ERROR, because nothing was wrong (RFC 9113 section 8.1).
            let reset = try await peer.connection(0).frame("the reset") { $0.kind == .reset }
            #expect(reset.payload == [0, 0, 0, 0])
            #expect(try await client.get(url: "\(peer.url)/next").bytes == Bytes("/next"))
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `OPTIONS for the server as a whole asks for a star`() async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.respond(request.stream, text: request[":path"] ?? "")
        } client: { peer, client in
            var request = Request(.options, url: peer.url)
            request.asksServer = true
            let answer = try await client.send(request).bytes
            #expect(answer == Bytes("*"))
        }
    }
}

extension PeerFrame {
    /// Whether the frame is a reset with one of these codes.
    func isEnd(_ codes: UInt8...) -> Bool { kind == .reset && codes.contains { payload == [0, 0, 0, $0] } }
}
