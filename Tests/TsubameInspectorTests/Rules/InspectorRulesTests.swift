// InspectorRulesTests: rules that are applied to the calls of a real client.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameInspector
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct InspectorRulesTests {
    private func ruled(
        _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (Client, ScriptedServer, InspectorRules, TrafficLog) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start { request in
            request.path == "/long" ? .ok(String(repeating: "x", count: 30_000)) : .ok("hello")
        }
        let client = Client(server.url, configure)
        let log = TrafficLog()
        log.add(client)
        log.keepBodies()
        let rules = InspectorRules()
        log.apply(rules)
        try await body(client, server, rules, log)
        log.end(rules)
        await client.close()
    }

    private func fail(_ every: Int = 1) -> Rule {
        var rule = Rule(filter: "", action: .fail)
        rule.every = every
        return rule
    }

    @Test func `the chain shows the interceptor while a rule is on, in views too`() async throws {
        try await ruled { client, server, rules, log in
            let view = client.with { $0.timeouts.total = .seconds(9) }
            let plain = client.chain.description
            #expect(!plain.contains("InspectorRules"))
            try rules.set([fail()])
            for client in [client, view] {
                let lines = client.chain.description.split(separator: "\n")
                #expect(lines[lines.count - 2].hasSuffix("InspectorRules (interceptor)"))
                await #expect(throws: CallError.self) { try await client.get("users") }
            }
            let other = Client(server.url)
            log.add(other)
            #expect(other.chain.description.contains("InspectorRules"))
            var off = fail()
            off.isOn = false
            try rules.set([off])
            for client in [client, other] { #expect(!client.chain.description.contains("InspectorRules")) }
            #expect(try await client.get("users").text() == "hello")
            try rules.set([fail()])
            log.end(rules)
            #expect(client.chain.description == plain)
            #expect(try await view.get("users").text() == "hello")
            await other.close()
        }
    }

    @Test func `an answer reaches no server, and is in the log`() async throws {
        try await ruled { client, server, rules, log in
            var rule = Rule(filter: "path:/users", action: .answer)
            rule.answer = Rule.Answer(
                status: 418, headers: [HTTPArchive.Pair("Content-Type", "text/plain")], body: "no coffee")
            try rules.set([rule])
            let response = try await client.get("users")
            #expect(response.statusCode == 418)
            #expect(response.body.bytes == Bytes("no coffee"))
            #expect(try await client.head("users").body.bytes?.isEmpty == true)
            #expect(try await client.get("other").text() == "hello")
            #expect(await server.requests.map(\.path) == ["/other"])
            let archive = try await HTTPArchive(json: log.har())
            #expect(archive.entries.map(\.response.status) == [418, 418, 200])
            #expect(archive.entries.first?.response.content.text == "no coffee")
        }
    }

    @Test func `a failure is met by retries as one of the network is`() async throws {
        try await ruled({ $0.retry = .standard }) { client, server, rules, log in
            var rule = fail(3)
            rule.failure = CallError.Kind.connectionLost.rawValue
            try rules.set([rule])
            // The third request fails, and the fourth is its second attempt.
            for _ in 0..<3 { #expect(try await client.get("users").text() == "hello") }
            #expect(await server.requests.count == 3)
            let archive = try await HTTPArchive(json: log.har())
            #expect(archive.entries.count == 3)
            try rules.set([fail()])
            let error = await #expect(throws: CallError.self) { try await client.post("users", body: .text("a")) }
            #expect(error?.kind == .connectionLost)
            #expect(error?.reason == "a rule of the inspector fails this request")
            #expect(await server.requests.count == 3)
        }
    }

    @Test func `a delay ends at the deadline, and by cancelling`() async throws {
        try await ruled { client, server, rules, _ in
            var rule = Rule()
            rule.delay = 600_000
            try rules.set([rule])
            let error = await #expect(throws: CallError.self) {
                try await client.get("users", timeout: .milliseconds(30))
            }
            #expect(error?.kind == .timeout)
            let delayed = Gate()
            let observation = client.observe { event in
                if case .decision = event.kind { delayed.open() }
            }
            let task = Task { try await client.get("users") }
            try await delayed.wait()
            observation.cancel()
            task.cancel()
            let cancelled = await #expect(throws: CallError.self) { try await task.value }
            #expect(cancelled?.kind == .cancelled)
            rule.delay = 1
            try rules.set([rule])
            #expect(try await client.get("users").text() == "hello")
            #expect(await server.requests.count == 1)
        }
    }

    @Test func `a throttled body arrives whole and in small pieces`() async throws {
        try await ruled { client, _, rules, _ in
            var rule = Rule()
            rule.bytesPerSecond = 100_000
            try rules.set([rule])
            let start = ContinuousClock.now
            #expect(try await client.get("long").text().utf8.count == 30_000)
            let time = ContinuousClock.now - start
            #expect(time >= .milliseconds(290))
            let pieces = try await client.stream(Request(.get, "long")) { response in
                var pieces: [Int] = []
                for try await piece in response.body { pieces.append(piece.count) }
                return pieces
            }
            #expect(pieces.reduce(0, +) == 30_000)
            #expect(pieces.allSatisfy { $0 <= 10_000 })
            // A rate that the deadline does not allow.
            rule.bytesPerSecond = 1
            try rules.set([rule])
            let error = await #expect(throws: CallError.self) {
                try await client.get("long", timeout: .seconds(1))
            }
            #expect(error?.kind == .timeout && error?.phase == .receivingBody)
        }
    }
}
