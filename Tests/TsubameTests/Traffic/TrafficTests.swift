// TrafficTests: limits on running and starting calls, and coalescing of equal requests.

import HTTPTypes
import Testing
@testable import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct TrafficTests {
    /// Requests these paths at once and returns the statuses.
    private static func ask(_ client: Client, _ paths: [String]) async throws -> [String] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for path in paths { group.addTask { try await client.get("\(path)").text() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: Running calls

    @Test func `no more than allowed run at once, in all and to one host`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok($0["host"] ?? "").after(gate) }
        let names = ["a.example", "b.example"]
        try await serving(server) {
            $0.connection.resolve = hosts(names.map { $0 + ":80" }, at: server)
            $0.traffic.calls = 3
            $0.traffic.callsPerHost = 2
        } _: { server, client in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<5 { group.addTask { try await client.get(url: "http://a.example/").text() } }
                for index in 0..<2 { _ = try await server.request(index) }
                for _ in 0..<5 { group.addTask { try await client.get(url: "http://b.example/").text() } }
                _ = try await server.request(2)
                // Two calls of the first host and one of the second run; all others wait.
                #expect(server.requests.map { $0["host"] } == ["a.example", "a.example", "b.example"])
                #expect(server.acceptedConnections == 3)
                gate.open()
                let answers = try await group.reduce(into: []) { $0.append($1) }
                #expect(
                    answers.sorted() == Array(repeating: "a.example", count: 5)
                        + Array(repeating: "b.example", count: 5))
            }
            // At most two connections to each host.
            #expect(server.acceptedConnections <= 4)
        }
    }

    @Test func `a place is free when the body has been read, or was given up`() async throws {
        let length = 1 << 20
        let server = try await ScriptedServer.start { $0.path == "/long" ? .stream(length) : .ok("short") }
        try await serving(server, { $0.traffic.calls = 1 }) { server, client in
            for readsAll in [true, false] {
                let (begun, goOn) = (Gate(), Gate())
                let long = Task {
                    try await client.stream(Request(.get, "long")) { response in
                        begun.open()
                        try await goOn.wait()
                        guard readsAll else { return 0 }
                        var count = 0
                        for try await piece in response.body { count += piece.count }
                        return count
                    }
                }
                try await begun.wait()
                let before = server.requests.count
                let short = Task { try await client.get("short").text() }
                await Task.yield()
                #expect(server.requests.count == before)
                goOn.open()
                let value1 = try await long.value
                #expect(value1 == (readsAll ? length : 0))
                let value2 = try await short.value
                #expect(value2 == "short")
            }
        }
    }

    @Test func `who is more important goes first, and who waited longest among equals`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { $0.index == 0 ? Reply.ok().after(gate) : .ok() }
        try await serving(server, { $0.traffic.callsPerHost = 1 }) { server, client in
            let first = Task { _ = try await client.get("first").accepted() }
            _ = try await server.request(0)
            var calls: [Task<Void, any Error>] = []
            for (name, priority) in [
                ("low", .low), ("normal-1", .normal), ("high", .high), ("normal-2", .normal),
            ] as [(String, Request.Priority)] {
                var request = Request(.get, "\(name)")
                request.priority = priority
                let sent = request
                calls.append(Task { try await client.send(sent).accepted() })
                try await client.waitUntilTraffic(calls.count)
            }
            gate.open()
            try await first.value
            for call in calls { try await call.value }
            #expect(server.requests.map(\.path) == ["/first", "/high", "/normal-1", "/normal-2", "/low"])
        }
    }

    @Test(arguments: [true, false])
    func `who gives up waiting takes nobody's place`(_ byDeadline: Bool) async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start {
            $0.path == "/first" ? Reply.ok($0.path).after(gate) : .ok($0.path)
        }
        try await serving(server, { $0.traffic.calls = 1 }) { server, client in
            let first = Task { try await client.get("first").text() }
            _ = try await server.request(0)
            var request = Request(.get, "second")
            if byDeadline { request.timeouts.total = .milliseconds(20) }
            let sent = request
            let second = Task { try await client.send(sent) }
            try await client.waitUntilTraffic(1)
            if !byDeadline { second.cancel() }
            let error = await callError { _ = try await second.value }
            #expect(error?.kind == (byDeadline ? .timeout : .cancelled))
            try await client.waitUntilTraffic(0)
            gate.open()
            let value3 = try await first.value
            #expect(value3 == "/first")
            let value4 = try await client.get("third").text()
            #expect(value4 == "/third")
            #expect(server.requests.map(\.path) == ["/first", "/third"])
        }
    }

    @Test func `a call that fails leaves its place`() async throws {
        let server = try await ScriptedServer.start { $0.path == "/x" ? [.close] : .ok() }
        try await serving(server, { $0.traffic.calls = 1 }) { _, client in
            for _ in 0..<3 { _ = await callError { _ = try await client.get("x") } }
            let value5 = try await client.get("y").status
            #expect(value5 == .ok)
        }
    }

    @Test func `limits that let nothing through are an error`() async throws {
        try await serving(.start()) { server, client in
            let policies: [(inout TrafficPolicy) -> Void] = [
                { $0.calls = 0 }, { $0.callsPerHost = -1 }, { $0.rate = .perSecond(0) },
                { $0.rate = .init(1, per: .zero) }, { $0.rate = .perSecond(1, burst: 0) },
            ]
            for change in policies {
                let error = try await failure { try await client.with { change(&$0.traffic) }.get("x") }
                #expect(error.kind == .invalidRequest && error.reason.hasPrefix("traffic."), "\(error)")
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    // MARK: Calls in an interval

    @Test func `requests to a host begin evenly, a burst at once, and other hosts for themselves`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start { .ok($0["host"] ?? "") }
        try await serving(server) {
            $0.connection.resolve = hosts(["a.example:80", "b.example:80"], at: server)
            $0.traffic.rate = .perSecond(10, burst: 3)
            $0.clock = clock
        } _: { server, client in
            for _ in 0..<3 { _ = try await client.get(url: "http://a.example/") }
            let fourth = Task { try await client.get(url: "http://a.example/").text() }
            try await clock.waitForSleepers(1)
            let fifth = Task { try await client.get(url: "http://a.example/").text() }
            try await clock.waitForSleepers(2)
            let value6 = try await client.get(url: "http://b.example/").text()
            #expect(value6 == "b.example")
            #expect(server.requests.count == 4)
            clock.advance(by: .milliseconds(99))
            #expect(clock.sleepers == 2)
            clock.advance(by: .milliseconds(1))
            #expect(clock.sleepers == 1)
            _ = try await server.request(4)
            clock.advance(by: .milliseconds(100))
            let value7 = try await [fourth.value, fifth.value]
            #expect(value7 == ["a.example", "a.example"])
            // After a quiet interval three calls may start again.
            clock.advance(by: .seconds(10))
            for _ in 0..<3 { _ = try await client.get(url: "http://a.example/") }
        }
    }

    @Test(arguments: [
        TrafficPolicy.Rate.perMinute(1, burst: .max), .init(1, per: .seconds(Int64.max), burst: .max),
        .init(.max, per: .nanoseconds(1), burst: 1),
    ])
    func `a rate beyond all measure lets requests through`(_ rate: TrafficPolicy.Rate) async throws {
        let stub = StubTransport { $0.on("*") }
        let client = Client("https://a.example", transport: stub) { $0.traffic.rate = rate }
        for _ in 0..<3 { _ = try await client.get("x") }
        #expect(stub.requests.count == 3)
    }

    @Test func `who gives up waiting for the rate leaves his turn to others`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start()
        try await serving(server) {
            $0.traffic.rate = .perSecond(1)
            $0.clock = clock
        } _: { server, client in
            _ = try await client.get("x")
            for _ in 0..<3 {
                let call = Task { try await client.get("x") }
                try await clock.waitForSleepers(1)
                call.cancel()
                let error = await callError { _ = try await call.value }
                #expect(error?.kind == .cancelled)
                try await client.waitUntilTraffic(0)
            }
            let next = Task { try await client.get("x") }
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            let response = try await next.value
            #expect(response.status == .ok && server.requests.count == 2)
        }
    }

    @Test func `who gives up before others wait for the rate gives nobody their turns`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start()
        try await serving(server) {
            $0.traffic.rate = .perSecond(1)
            $0.clock = clock
        } _: { server, client in
            _ = try await client.get("x")
            let first = Task { try await client.get("x") }
            try await clock.waitForSleepers(1)
            let second = Task { try await client.get("x") }
            try await clock.waitForSleepers(2)
            first.cancel()
            let error = await callError { _ = try await first.value }
            #expect(error?.kind == .cancelled)
            try await clock.waitForSleepers(1)
            let third = Task { try await client.get("x") }
            try await clock.waitForSleepers(2)
            clock.advance(by: .seconds(2))
            _ = try await second.value
            #expect(server.requests.count == 2)
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            _ = try await third.value
            #expect(server.requests.count == 3)
        }
    }

    // MARK: Coalescing

    @Test func `equal requests under way become one, and others do not`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { $0.index == 0 ? Reply.ok("0").after(gate) : .ok("\($0.index)") }
        try await serving(server, { $0.traffic.coalescesEqualRequests = true }) { server, client in
            let equal = (0..<4).map { _ in Task { try await client.get("x").text() } }
            _ = try await server.request(0)
            try await client.waitUntilJoined(3)
            let others = [
                Request(.get, "y"), Request(.get, "x", headers: [.accept: "text/plain"]), Request(.post, "x"),
            ]
            for request in others { #expect(try await client.send(request).status == .ok) }
            gate.open()
            for task in equal { #expect(try await task.value == "0") }
            #expect(server.requests.count == 4)
            // A call that has ended is not joined.
            let value8 = try await client.get("x").text()
            #expect(value8 == "4")
        }
    }

    @Test func `a request that begins after a change does not join one from before it`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { $0.index == 0 ? Reply.ok("old").after(gate) : .ok("new") }
        try await serving(server, { $0.traffic.coalescesEqualRequests = true }) { server, client in
            let before = Task { try await client.get("x").text() }
            _ = try await server.request(0)
            _ = try await client.post("x", body: .text("change"))
            #expect(try await client.get("x").text() == "new")
            gate.open()
            #expect(try await before.value == "old")
            #expect(server.requests.map(\.method) == ["GET", "POST", "GET"])
        }
    }

    @Test func `cancelling one does not cancel the rest`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok("\($0.index)").after(gate) }
        try await serving(server, { $0.traffic.coalescesEqualRequests = true }) { server, client in
            let first = Task { try await client.get("x").text() }
            _ = try await server.request(0)
            let rest = (0..<3).map { _ in Task { try await client.get("x").text() } }
            try await client.waitUntilJoined(3)
            rest[2].cancel()
            #expect(await callError { _ = try await rest[2].value }?.kind == .cancelled)
            first.cancel()
            #expect(await callError { _ = try await first.value }?.kind == .cancelled)
            // The next waiting call takes its place.
            _ = try await server.request(1)
            gate.open()
            for task in rest.prefix(2) { #expect(try await task.value == "1") }
            #expect(server.requests.count == 2)
        }
    }

    @Test func `views with other settings do not join`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok("\($0.index)").after(gate) }
        try await serving(server, { $0.traffic.coalescesEqualRequests = true }) { server, client in
            let first = Task { try await client.get("x").text() }
            _ = try await server.request(0)
            let view = client.with { $0.limits.bufferedBody = 1000 }
            let second = Task { try await view.get("x").text() }
            _ = try await server.request(1)
            gate.open()
            let texts = try await [first.value, second.value]
            #expect(texts == ["0", "1"])
        }
    }

    @Test func `a failure is everyone's, and a long body nobody else's`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            request.path == "/long" ? Reply.stream(1 << 20).after(gate) : Reply([.close]).after(gate)
        }
        try await serving(server, { $0.traffic.coalescesEqualRequests = true }) { server, client in
            let calls = (0..<3).map { _ in Task { try await client.get("x") } }
            try await client.waitUntilJoined(2)
            let long = (0..<3).map { _ in Task { try await client.get("long").bytes.count } }
            try await client.waitUntilJoined(4)
            gate.open()
            for call in calls { #expect(await callError { _ = try await call.value }?.kind == .emptyReply) }
            for call in long { #expect(try await call.value == 1 << 20) }
            #expect(server.requests.filter { $0.path == "/x" }.count == 1)
            #expect(server.requests.filter { $0.path == "/long" }.count == 3)
        }
    }

    @Test func `FAULT 16: the exchange limit of the first of equal requests is not that of the others`() async throws {
        let (start, hold) = (Gate(), Gate())
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/start": Reply.redirect(to: "/x").after(start)
            case "/hold": Reply.ok("held").after(hold)
            default: .ok("x")
            }
        }
        try await serving(server) {
            $0.traffic.coalescesEqualRequests = true
            $0.traffic.calls = 1
            $0.limits.exchanges = 1
        } _: { server, client in
            // After its redirect to x, the call waits for its turn and holds no exchange.
            let first = Task { try await client.get("start") }
            _ = try await server.request(0)
            let held = Task { try await client.get("hold").text() }
            try await client.waitUntilTraffic(1)
            start.open()
            _ = try await server.request(1)
            try await client.waitUntilTraffic(1)
            let second = Task { try await client.get("x").text() }
            try await client.waitUntilJoined(1)
            hold.open()
            #expect(await callError { _ = try await first.value }?.kind == .limitExceeded)
            let texts = try await [held.value, second.value]
            #expect(texts == ["held", "x"])
        }
    }
}

extension Client {
    /// Returns when `count` exchanges wait for their turn.
    fileprivate func waitUntilTraffic(_ count: Int) async throws {
        while configuration.traffic.gate?.waiting != count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Returns when `count` calls wait for another call's response.
    fileprivate func waitUntilJoined(_ count: Int) async throws {
        while chain.coalescing?.waiting != count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
