// HTTP2FlowTests: windows, back-pressure, cancellation and deadlines over HTTP/2.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HTTP2FlowTests {
    /// Sends as much as the client's windows allow, and returns the number of bytes.
    private static func flood(_ connection: FrameConnection, _ stream: UInt32, upTo count: Int) async throws {
        var (sent, window, granted) = (0, 32 << 10, 0)
        while sent < count {
            let updates = connection.frames.filter { $0.kind == .windowUpdate && $0.stream == stream }
            let total = updates.reduce(0) { $0 + $1.payload.reduce(0) { $0 << 8 | Int($1) } }
            (window, granted) = (window + total - granted, total)
            let size = min(16_384, window, count - sent)
            guard size > 0 else {
                let known = updates.count
                try await connection.waitUntil("more room") {
                    $0.filter { $0.kind == .windowUpdate && $0.stream == stream }.count > known
                }
                continue
            }
            sent += size
            window -= size
            try await connection.sendData(stream, [UInt8](repeating: 1, count: size), endStream: sent == count)
        }
    }

    @Test func `a long body comes whole through the windows that the client gives back`() async throws {
        let count = 12 << 20
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.sendHeaders(request.stream, [(":status", "200")])
            try await Self.flood(connection, request.stream, upTo: count)
        } client: { peer, client in
            let received = try await client.stream(Request(.get, url: peer.url)) { response in
                var received = 0
                for try await piece in response.body { received += piece.count }
                return received
            }
            #expect(received == count)
            // The used part of the connection's window is given back, too.
            let updates = peer.connections[0].frames.filter { $0.kind == .windowUpdate && $0.stream == 0 }
            #expect(updates.count >= 2)
        }
    }

    @Test func `a reader that stops holds up its own stream, and no other`() async throws {
        let reads = Gate()
        try await withPeer { connection in
            let slow = try await connection.nextRequest()
            try await connection.sendHeaders(slow.stream, [(":status", "200")])
            // As many bytes as its window allows.
            for _ in 0..<2 { try await connection.sendData(slow.stream, [UInt8](repeating: 1, count: 16_384)) }
            let quick = try await connection.nextRequest()
            try await connection.respond(quick.stream, text: "quick")
            // Half a window may be given back before the reader is known to have stopped.
            let updates = connection.frames.filter { $0.kind == .windowUpdate && $0.stream == slow.stream }
            #expect(updates.reduce(0) { $0 + $1.payload.reduce(0) { $0 << 8 | Int($1) } } <= 16_384)
            reads.open()
            try await connection.waitUntil("more room") {
                $0.filter { $0.kind == .windowUpdate && $0.stream == slow.stream }.count > updates.count
            }
            try await connection.sendData(slow.stream, "the end", endStream: true)
        } client: { peer, client in
            let received = try await client.stream(Request(.get, url: "\(peer.url)/slow")) { response in
                #expect(try await client.get(url: "\(peer.url)/quick").text() == "quick")
                try await reads.wait()
                var received = 0
                for try await piece in response.body { received += piece.count }
                return received
            }
            #expect(received == 2 * 16_384 + 7)
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `BAD-INPUT 39: DATA beyond the window of a stream is an error of that stream alone`() async throws {
        try await withPeer { connection in
            let greedy = try await connection.nextRequest()
            try await connection.sendHeaders(greedy.stream, [(":status", "200")])
            // Without a reader the client grants one window, and at most half of it again.
            for _ in 0..<4 { try await connection.sendData(greedy.stream, [UInt8](repeating: 1, count: 16_384)) }
            let reset = try await connection.frame("the reset") { $0.kind == .reset }
            #expect(reset.stream == greedy.stream && reset.isEnd(3))
            let other = try await connection.nextRequest()
            try await connection.respond(other.stream, text: "other")
        } client: { peer, client in
            let error = try await failure {
                try await client.stream(Request(.get, url: "\(peer.url)/greedy")) { response in
                    #expect(try await client.get(url: "\(peer.url)/other").text() == "other")
                    var received = 0
                    for try await piece in response.body { received += piece.count }
                    Issue.record("\(received) bytes were given as a whole body")
                }
            }
            #expect(error.kind == .invalidResponse && error.reason.contains("flow control"), "\(error)")
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `a cancelled call resets its stream, and the others go on`() async throws {
        try await withPeer { connection in
            let first = try await connection.nextRequest()
            let second = try await connection.nextRequest()
            let reset = try await connection.frame("the reset") { $0.kind == .reset }
            let (cancelled, other) = reset.stream == first.stream ? (first, second) : (second, first)
            #expect(cancelled[":path"] == "/cancelled" && reset.isEnd(8))
            // The client skips frames that were in flight.
            try await connection.respond(cancelled.stream, text: "late")
            try await connection.respond(other.stream, text: "other")
        } client: { peer, client in
            let cancelled = Task { try await client.get(url: "\(peer.url)/cancelled") }
            let other = Task { try await client.get(url: "\(peer.url)/other").text() }
            try await peer.connection(0).waitUntil("two requests") { $0.filter { $0.kind == .headers }.count == 2 }
            cancelled.cancel()
            let error = await callError { _ = try await cancelled.value }
            #expect(error?.kind == .cancelled)
            #expect(try await other.value == "other")
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `each deadline is that of its call, though they share a connection`() async throws {
        let goes = Gate()
        try await withPeer { connection in
            while true {
                let request = try await connection.nextRequest()
                if request[":path"] == "/patient" {
                    Task {
                        try await goes.wait()
                        try await connection.respond(request.stream, text: "patient")
                    }
                }
            }
        } client: { peer, client in
            let patient = Task { try await client.get(url: "\(peer.url)/patient").text() }
            try await peer.connection(0).waitUntil("a request") { $0.contains { $0.kind == .headers } }
            for limit in [Timeouts.Name.head, .total] {
                let hasty = client.with {
                    $0.retry = .off
                    if limit == .head {
                        $0.timeouts.head = .milliseconds(50)
                    } else {
                        $0.timeouts.total = .milliseconds(50)
                    }
                }
                let error = try await failure { try await hasty.get(url: "\(peer.url)/hasty") }
                #expect(error.kind == .timeout && error.timeout == limit, "\(error)")
            }
            goes.open()
            #expect(try await patient.value == "patient")
        }
    }

    @Test func `a body that the server takes no more of fails by the idle time`() async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            _ = try await connection.body(of: request.stream, grants: false)
        } client: { peer, client in
            let hasty = client.with {
                $0.retry = .off
                $0.timeouts.idle = .milliseconds(700)
            }
            let body = RequestBody.bytes(Bytes(repeatElement(0, count: 1 << 20)))
            let error = try await failure { try await hasty.send(Request(.put, url: peer.url, body: body)) }
            #expect(error.kind == .timeout && error.timeout == .idle, "\(error)")
            // As many bytes as the window allowed. The peer may be slow to read them.
            @Sendable func sent(_ frames: [PeerFrame]) -> Int {
                frames.filter { $0.kind == .data }.reduce(0) { $0 + $1.payload.count }
            }
            let connection = try await peer.connection(0)
            try await connection.waitUntil("the bytes of the window") { sent($0) >= 65_535 }
            #expect(sent(connection.frames) == 65_535)
        }
    }

    @Test func `a closed client lets its calls finish, and says goodbye`() async throws {
        let goes = Gate()
        let peer = try await FramePeer.start { connection in
            let request = try await connection.nextRequest()
            try await goes.wait()
            try await connection.respond(request.stream, text: "finished")
            let farewell = try await connection.frame("the farewell") { $0.kind == .goAway }
            #expect(farewell.payload.suffix(4) == [0, 0, 0, 0])
        }
        try await peer.use { peer in
            let client = Client { $0.connection.httpVersion = .http2 }
            let call = Task { try await client.get(url: peer.url).text() }
            _ = try await peer.connection(0).frame("a request") { $0.kind == .headers }
            let closing = Task { await client.close(drainingFor: .seconds(60)) }
            goes.open()
            #expect(try await call.value == "finished")
            await closing.value
            try await peer.waitUntil(openConnections: 0)
        }
    }

    @Test func `requests that wait for a slow peer are not taken for answers that it does not read`() async throws {
        let (stops, stopped, pings) = (Gate(), Gate(), Gate())
        // At most 256 streams at once, and no table of fields, so that each head goes out in full.
        try await withPeer(settings: [(0x3, 256), (0x1, 0)]) { connection in
            let request = try await connection.nextRequest()
            try await connection.respond(request.stream, text: "first")
            try await stops.wait()
            try await connection.reading(false)
            stopped.open()
            try await pings.wait()
            try await connection.ping()
            try await connection.reading(true)
            try await connection.echo()
        } client: { peer, client in
            #expect(try await client.get(url: peer.url).text() == "first")
            stops.open()
            try await stopped.wait()
            // More than the sockets take. The characters have long codes, so they go out as they are.
            let token = String(repeating: "^", count: 60_000)
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await client.send(Request(.get, url: peer.url + "/x", headers: ["X-Token": token])).text()
                    }
                }
                try await client.waitUntil { $0.running == 100 && $0.waiting == 0 }
                pings.open()
                for try await text in group { #expect(text == "/x") }
            }
            #expect(peer.acceptedConnections == 1)
        }
    }
}
