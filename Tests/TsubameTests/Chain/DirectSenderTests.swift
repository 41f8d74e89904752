// DirectSenderTests: requests that go to the engine without a run of the chain.

import Testing
import TsubameTesting

@testable import Tsubame

@Suite(.timeLimit(.minutes(1))) struct DirectSenderTests {
    /// Settings under which no step takes part.
    private static func bare(_ configuration: inout Configuration) {
        configuration.redirects = .off
        configuration.hsts = .off
        configuration.retry = .off
        configuration.decoding = .off
    }

    @Test(arguments: ["answered", "lost", "cancelled"])
    func `nothing keeps a call after its end`(how: String) async throws {
        let server = try await ScriptedServer.start { _ in
            switch how {
            case "answered": .ok("x")
            case "lost": [.close]
            default: .stall
            }
        }
        try await serving(server, Self.bare) { server, client in
            let sender = try #require(DirectSender(client))
            let request = try #require(try sender.prepared(Request(.get, "x")))
            weak var call: Call?
            func run() async throws {
                let running = sender.makeCall(request)
                call = running
                let sending = Task { try await sender.send(running) }
                if how == "cancelled" {
                    _ = try await server.head(0)
                    running.cancel()
                }
                switch await sending.result {
                case .success(let response): #expect(how == "answered" && response.bytes == Bytes("x"))
                case .failure(let error):
                    let kind = (error as? CallError)?.kind
                    #expect(
                        how == "lost" && kind == .emptyReply || how == "cancelled" && kind == .cancelled,
                        "\(error)")
                }
            }
            try await run()
            // Code that runs on the loop may hold the reference for a turn or two.
            while call != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test func `a direct request has the bytes of one that runs through the chain`() async throws {
        try await serving(.start { _ in .ok("x") }) {
            Self.bare(&$0)
            $0.headers = ["X-Own": "1"]
        } _: { server, client in
            let sender = try #require(DirectSender(client))
            let requests = [Request(.get, "x", query: ["a": 1]), Request(.post, "y", body: .text("hello"))]
            for request in requests {
                _ = try await client.send(request)
                let prepared = try #require(try sender.prepared(request))
                _ = try await sender.send(sender.makeCall(prepared))
            }
            let seen = server.requests.map { $0.head + $0.body }
            try #require(seen.count == 4)
            #expect(seen[0] == seen[1] && seen[2] == seen[3] && seen[0] != seen[2])
        }
    }

    @Test(arguments: ["redirects", "retry", "authentication", "override"])
    func `a step that takes part needs the chain`(setting: String) async throws {
        let client = Client("http://127.0.0.1:1") {
            Self.bare(&$0)
            switch setting {
            case "redirects": $0.redirects = .follow(max: 3)
            case "retry": $0.retry = .standard
            case "authentication": $0.authentication = .bearer("secret")
            default: break
            }
        }
        let sender = try #require(DirectSender(client))
        var request = Request(.get, "x")
        if setting == "override" { request.options { $0.redirects = .follow(max: 3) } }
        #expect(try sender.prepared(request) == nil)
    }

    @Test func `interceptors, a cache and observers need the chain`() {
        let cached = Client("http://127.0.0.1:1") {
            Self.bare(&$0)
            $0.cache = .memory()
        }
        #expect(DirectSender(cached) == nil)
        let observed = Client("http://127.0.0.1:1", Self.bare)
        #expect(DirectSender(observed) != nil)
        let observation = observed.observe { _ in }
        #expect(DirectSender(observed) == nil)
        observation.cancel()
    }
}
