// HTTP2ReplayTests: only a request that the server has not processed is sent again (RFC 9113 section 8.7).

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HTTP2ReplayTests {
    private static func post(_ url: String) -> Request { Request(.post, url: url, body: .text("once")) }

    @Test func `a refused stream goes out again on the same connection, whatever the method`() async throws {
        try await withPeer { connection in
            let first = try await connection.nextRequest()
            try await connection.reset(first.stream, 7)
            let second = try await connection.nextRequest()
            #expect(try await connection.body(of: second.stream) == Array("once".utf8))
            try await connection.respond(second.stream, text: "done")
        } client: { peer, client in
            let events = EventLog()
            let observation = events.observe(client)
            let answer = try await client.send(Self.post(peer.url)).bytes
            #expect(answer == Bytes("done"))
            withExtendedLifetime(observation) {}
            #expect(peer.acceptedConnections == 1)
            let causes = events.events.compactMap { event in
                if case .resending(_, let why, _) = event.kind { why.cause } else { nil }
            }
            #expect(causes == [.unprocessed])
        }
    }

    @Test(arguments: [true, false])
    func `a 417 whose body breaks off is answered all the same`(_ byReset: Bool) async throws {
        try await withPeer { connection in
            while true {
                let request = try await connection.nextRequest()
                if request["expect"] == nil {
                    #expect(try await connection.body(of: request.stream) == Array("once".utf8))
                    try await connection.respond(request.stream, text: "done")
                } else {
                    try await connection.sendHeaders(request.stream, [(":status", "417")])
                    try await connection.sendData(request.stream, "half of it")
                    if byReset {
                        try await connection.reset(request.stream, 2)
                    } else {
                        return await connection.cutOff()
                    }
                }
            }
        } client: { peer, client in
            let response = try await client.with { $0.retry = .off }
                .post(url: peer.url, headers: [.expect: "100-continue"], body: .text("once"))
            #expect(response.bytes == Bytes("done") && peer.acceptedConnections == (byReset ? 1 : 2))
        }
    }

    @Test func `a server that always refuses is asked four times, and no more`() async throws {
        try await withPeer { connection in
            let first = try await connection.nextRequest()
            try await connection.respond(first.stream)
            while true { try await connection.reset(connection.nextRequest().stream, 7) }
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            // Streams that begin before the server's settings arrive may exceed its limit, and do not count.
            _ = try await plain.get(url: peer.url)
            let error = try await failure { try await plain.send(Self.post(peer.url)) }
            #expect(error.kind == .connectionLost && "\(error)".contains("REFUSED_STREAM"), "\(error)")
            let asked = peer.connections.flatMap(\.frames).filter { $0.kind == .headers }
            #expect(asked.count == 1 + 4)
        }
    }

    @Test func `a request that the server has begun to read is not sent again`() async throws {
        try await withPeer { connection in
            let first = try await connection.nextRequest()
            try await connection.respond(first.stream, text: "first")
            let second = try await connection.nextRequest()
            // This opens the windows again and again.
            _ = try await connection.body(of: second.stream)
            await connection.cutOff()
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            _ = try await plain.get(url: peer.url)
            let body = RequestBody.bytes([UInt8](repeating: 7, count: 1 << 20))
            let error = try await failure { try await plain.put(url: peer.url, body: body) }
            #expect(error.kind == .connectionLost || error.kind == .emptyReply, "\(error)")
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `a body that can be sent only once is not, and its call says so`() async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            _ = try await connection.body(of: request.stream)
            try await connection.reset(request.stream, 7)
        } client: { peer, client in
            let body = RequestBody.stream(once: ExpectTests.Pieces(["once"]), length: 4)
            let error = try await failure { try await client.post(url: peer.url, body: body) }
            #expect(error.kind == .connectionLost, "\(error)")
            #expect(peer.connections.flatMap(\.frames).filter { $0.kind == .headers }.count == 1)
        }
    }

    @Test func `BAD-INPUT 40: what a GOAWAY leaves out goes to another connection, what it names is finished`()
        async throws
    {
        let both = Gate()
        try await withPeer { connection in
            guard connection.number == 0 else { return try await connection.echo() }
            let first = try await connection.nextRequest()
            both.open()
            let second = try await connection.nextRequest()
            #expect(second.stream > first.stream)
            try await connection.goAway(first.stream, 0)
            try await connection.respond(first.stream, text: "finished")
        } client: { peer, client in
            let first = Task { try await client.get(url: "\(peer.url)/first").text() }
            try await both.wait()
            #expect(
                try await client.send(Request(.post, url: "\(peer.url)/second", body: .text("x"))).text() == "/second")
            #expect(try await first.value == "finished")
            // The first connection got a GOAWAY and has closed.
            try await peer.connection(0).closed()
            #expect(peer.acceptedConnections == 2)
        }
    }

    @Test func `after a GOAWAY the connection closes, also if its last request is given up`() async throws {
        let (both, done) = (Gate(), Gate())
        try await withPeer { connection in
            guard connection.number == 0 else { return try await connection.echo() }
            let first = try await connection.nextRequest()
            both.open()
            _ = try await connection.nextRequest()
            try await connection.goAway(first.stream, 0)
            // The first request gets no answer.
            try await done.wait()
        } client: { peer, client in
            let impatient = client.with { $0.timeouts.head = .milliseconds(400) }
            let first = Task { try await impatient.get(url: "\(peer.url)/first").text() }
            try await both.wait()
            #expect(try await client.get(url: "\(peer.url)/second").text() == "/second")
            await #expect(throws: CallError.self) { try await first.value }
            try await LeakCheck.verify(client)
            #expect(await client.statistics().sockets == 1)
            done.open()
        }
    }

    @Test func `an idle connection that gets a GOAWAY is closed by the client`() async throws {
        let isIdle = Gate()
        try await withPeer { connection in
            guard connection.number == 0 else { return try await connection.echo() }
            let request = try await connection.nextRequest()
            try await connection.respond(request.stream, text: "before")
            try await isIdle.wait()
            try await connection.goAway(request.stream, 0)
        } client: { peer, client in
            #expect(try await client.get(url: "\(peer.url)/first").text() == "before")
            try await LeakCheck.verify(client)
            isIdle.open()
            try await peer.connection(0).closed()
            #expect(try await client.get(url: "\(peer.url)/second").text() == "/second")
            #expect(peer.acceptedConnections == 2)
        }
    }

    @Test func `behind a GOAWAY of all streams no new one is begun, and the running ones end well`() async throws {
        let goes = Gate()
        try await withPeer { connection in
            guard connection.number == 0 else { return try await connection.echo() }
            let first = try await connection.nextRequest()
            try await connection.goAway(0x7FFF_FFFF, 0)
            try await goes.wait()
            try await connection.respond(first.stream, text: "well")
        } client: { peer, client in
            let first = Task { try await client.get(url: "\(peer.url)/first").text() }
            try await peer.connection(0).waitUntil("a request") { $0.contains { $0.kind == .headers } }
            goes.open()
            #expect(try await first.value == "well")
            #expect(try await client.get(url: "\(peer.url)/second").text() == "/second")
            #expect(peer.acceptedConnections == 2)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a reused connection that dies without a word costs an idempotent call nothing`(
        _ method: HTTPRequest.Method
    ) async throws {
        try await withPeer { connection in
            let first = try await connection.nextRequest()
            try await connection.respond(first.stream, text: "first")
            guard connection.number == 0 else { return }
            _ = try await connection.nextRequest()
            await connection.close()
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            _ = try await plain.get(url: peer.url)
            if method == .get {
                #expect(try await plain.get(url: peer.url).text() == "first")
                #expect(peer.acceptedConnections == 2)
            } else {
                let error = try await failure { try await plain.send(Self.post(peer.url)) }
                #expect(error.kind == .connectionLost, "\(error)")
                #expect(peer.acceptedConnections == 1)
            }
        }
    }

    @Test func `a reused connection that dies without a word costs none of its calls anything`() async throws {
        let isIdle = Gate()
        try await withPeer { connection in
            guard connection.number == 0 else { return try await connection.echo() }
            let first = try await connection.nextRequest()
            try await connection.respond(first.stream, text: "first")
            try await isIdle.wait()
            for _ in 0..<20 { _ = try await connection.nextRequest() }
            await connection.close()
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            _ = try await plain.get(url: peer.url)
            isIdle.open()
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<20 { group.addTask { try await plain.get(url: "\(peer.url)/\(index)").text() } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(texts == Set((0..<20).map { "/\($0)" }))
        }
    }

    @Test func `BAD-INPUT 40: a connection that only ends its exchanges does not keep its origin from a new one`()
        async throws
    {
        let (both, second) = (Gate(), Gate())
        try await withPeer({ $0.connection.connectionsPerOrigin = 1 }) { connection in
            guard connection.number == 0 else { return try await connection.echo() }
            let first = try await connection.nextRequest()
            both.open()
            _ = try await connection.nextRequest()
            try await connection.goAway(first.stream, 0)
            try await second.wait()
            try await connection.respond(first.stream, text: "finished")
        } client: { peer, client in
            let first = Task { try await client.get(url: "\(peer.url)/first").text() }
            try await both.wait()
            #expect(try await client.get(url: "\(peer.url)/second").text() == "/second")
            second.open()
            #expect(try await first.value == "finished")
            #expect(peer.acceptedConnections == 2)
        }
    }

    @Test(arguments: [UInt32(2), 8, 11, 13])
    func `a stream that is reset fails its call alone, by the name of the code`(_ code: UInt32) async throws {
        try await withPeer { connection in
            let first = try await connection.nextRequest()
            try await connection.reset(first.stream, code)
            try await connection.echo()
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            let error = try await failure { try await plain.get(url: peer.url) }
            let name = [2: "INTERNAL_ERROR", 8: "CANCEL", 11: "ENHANCE_YOUR_CALM", 13: "HTTP_1_1_REQUIRED"][code]
            #expect(error.kind == .connectionLost && "\(error)".contains(name ?? "?"), "\(error)")
            #expect(try await plain.get(url: "\(peer.url)/next").text() == "/next")
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test(arguments: [true, false])
    func `a body that is cut off is never a whole one`(_ byReset: Bool) async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.sendHeaders(request.stream, [(":status", "200")])
            try await connection.sendData(request.stream, "part")
            if byReset { try await connection.reset(request.stream, 2) } else { await connection.close() }
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            let error = try await failure { try await plain.get(url: peer.url) }
            #expect(error.kind == .incompleteResponse, "\(error)")
        }
    }

    @Test func `a fault of the connection ends its calls, and the next call makes another`() async throws {
        try await withPeer { connection in
            guard connection.number == 0 else { return try await connection.echo() }
            _ = try await connection.nextRequest()
            try await connection.send(PeerFrame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2]))
            let farewell = try await connection.frame("the farewell") { $0.kind == .goAway }
            #expect(farewell.payload == [0, 0, 0, 0, 0, 0, 0, 1])
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            let error = try await failure { try await plain.get(url: peer.url) }
            #expect(error.kind == .invalidResponse && "\(error)".contains("push"), "\(error)")
            #expect(try await plain.get(url: "\(peer.url)/next").text() == "/next")
        }
    }

    @Test func `a response that has begun is never continued by another, whatever a GOAWAY says of its request`()
        async throws
    {
        let begun = Gate()
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.sendHeaders(request.stream, [(":status", "200")])
            try await connection.sendData(request.stream, [UInt8](repeating: 0x41, count: 16_384))
            try await begun.wait()
            try await connection.goAway(0, 0)
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            let error = try await failure {
                try await plain.stream(Request(.get, url: peer.url)) { response in
                    begun.open()
                    for try await _ in response.body {}
                }
            }
            #expect(error.kind == .incompleteResponse, "\(error)")
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `a new connection that dies under its first requests has none of them sent again unasked`() async throws
    {
        try await withPeer { connection in
            _ = try await connection.nextRequest()
            await connection.close()
        } client: { peer, client in
            let plain = client.with { $0.retry = .off }
            let calls = (0..<5).map { index in Task { try await plain.get(url: "\(peer.url)/\(index)") } }
            for call in calls {
                let error = await callError { _ = try await call.value }
                #expect(error?.kind == .connectionLost)
            }
            let heads = peer.connections.flatMap(\.frames).filter { $0.kind == .headers }
            #expect(heads.count <= 5)
        }
    }
}
