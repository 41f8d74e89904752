// CachingStaleTests: stale responses: used while they are revalidated, and when the origin fails (RFC 5861).

import HTTPTypes
import Testing
@testable import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CachingStaleTests {
    private static let lenient: HTTPFields = [.cacheControl: "max-age=60, stale-while-revalidate=60"]

    @Test(arguments: CachePlace.allCases)
    func `RFC 5861 3: what is stale is used at once, and brought up to date once, however many use it`(
        _ place: CachePlace
    ) async throws {
        let gate = Gate()
        try await cached(
            in: place,
            { request in
                let reply = Reply.ok("\(request.index)", headers: Self.lenient)
                return request.index == 0 ? reply : reply.after(gate)
            }
        ) { cached in
            _ = try await cached.get("a")
            cached.clock.pass(70)
            for _ in 0..<5 {
                let answer = try await cached.get("a")
                #expect(answer == ("0", "tsubame; hit; ttl=-10; detail=stale-while-revalidate"))
            }
            _ = try await cached.server.request(1)
            #expect(cached.client.runningCallCount == 1)
            gate.open()
            try await LeakCheck.verify(cached.client)
            let answer = try await cached.get("a")
            #expect(answer == ("1", "tsubame; hit; ttl=60") && cached.asked.count == 2)
            // The background call reports its beginning and its end like other calls.
            #expect(cached.events.ends.count == 8)
        }
    }

    @Test func `RFC 5861 3: by a condition, where there is one to ask by, and without the caller's own`() async throws {
        try await cached { request in
            request["if-none-match"] == "\"1\""
                ? .status(.notModified, headers: [.cacheControl: "max-age=600"])
                : .ok("body", headers: [.cacheControl: "max-age=60, stale-while-revalidate=60", .eTag: "\"1\""])
        } _: { cached in
            _ = try await cached.get("a")
            cached.clock.pass(70)
            let part = try await cached.send("a") {
                $0.headers[.range] = "bytes=1-2"
                $0.headers[.acceptEncoding] = "gzip, deflate"
                $0.timeouts.total = .milliseconds(500)
            }
            #expect(part.bytes == Bytes("od") && part.statusCode == 206)
            let request = try await cached.server.request(1)
            #expect(request["if-none-match"] == "\"1\"" && request["range"] == nil)
            try await LeakCheck.verify(cached.client)
            let answer = try await cached.get("a")
            #expect(answer == ("body", "tsubame; hit; ttl=600"))
        }
    }

    @Test func `RFC 5861 3: its failure is nobody's, and it is tried again`() async throws {
        try await cached(
            retry: .off,
            { request in
                // The first close hits a reused connection, so the client tries at once on another one.
                [1, 2].contains(request.index) ? .close : .ok("\(request.index)", headers: Self.lenient)
            }
        ) { cached in
            _ = try await cached.get("a")
            cached.clock.pass(70)
            for _ in 0..<2 {
                let answer = try await cached.get("a")
                #expect(answer.text == "0")
                try await LeakCheck.verify(cached.client)
            }
            let answer = try await cached.get("a")
            #expect(answer.text == "3")
        }
    }

    @Test func `RFC 5861 3: it ends with the client`() async throws {
        try await cached({ request in
            request.index == 0 ? .ok("0", headers: Self.lenient) : .stall
        }) { cached in
            _ = try await cached.get("a")
            cached.clock.pass(70)
            _ = try await cached.get("a")
            _ = try await cached.server.request(1)
            await cached.client.close()
            #expect(cached.client.runningCallCount == 0)
        }
    }

    @Test(arguments: [500, 502, 503, 504])
    func `RFC 5861 4: an origin that fails is stood in for, once retries are through`(_ status: Int) async throws {
        try await cached(
            retry: .standard { $0.retries = 1 },
            { request in
                request.index == 0
                    ? .ok("0", headers: [.cacheControl: "max-age=60, stale-if-error=60"])
                    : .status(.init(code: status), headers: [.retryAfter: "0"])
            }
        ) { cached in
            _ = try await cached.get("a")
            cached.clock.pass(70)
            let answer = try await cached.get("a")
            #expect(
                answer == ("0", "tsubame; fwd=stale; fwd-status=\(status); ttl=-10; detail=stale-if-error"))
            cached.clock.pass(60)
            let late = try await cached.send("a")
            #expect(late.statusCode == status)
        }
    }

    @Test(arguments: [true, false])
    func `RFC 5861 4: so is one that cannot be reached, unless it must be asked`(_ mustBeAsked: Bool) async throws {
        let fields: HTTPFields = [
            .cacheControl: "max-age=60, stale-if-error=60" + (mustBeAsked ? ", must-revalidate" : "")
        ]
        try await cached(
            retry: .off,
            { request in
                request.index == 0 ? .ok("0", headers: fields) : .close
            }
        ) { cached in
            _ = try await cached.get("a")
            cached.clock.pass(70)
            if mustBeAsked {
                let error = await callError { _ = try await cached.get("a") }
                #expect(error?.kind == .emptyReply || error?.kind == .connectionLost)
            } else {
                let answer = try await cached.get("a")
                #expect(answer == ("0", "tsubame; fwd=stale; ttl=-10; detail=stale-if-error"))
            }
        }
    }

    @Test func `a call that is cancelled is not answered by what is stale`() async throws {
        try await cached({ request in
            request.index == 0 ? .ok("0", headers: [.cacheControl: "max-age=60, stale-if-error=60"]) : .stall
        }) { cached in
            _ = try await cached.get("a")
            cached.clock.pass(70)
            let get = Task { try await cached.get("a") }
            _ = try await cached.server.request(1)
            get.cancel()
            let error = await callError { _ = try await get.value }
            #expect(error?.kind == .cancelled)
            let late = await callError {
                _ = try await cached.get("a") { $0.timeouts.total = .milliseconds(50) }
            }
            #expect(late?.kind == .timeout && late?.timeout == .total)
        }
    }
}
