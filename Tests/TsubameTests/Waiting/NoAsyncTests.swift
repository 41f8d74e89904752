// NoAsyncTests: a blocking call in asynchronous code must not compile.

import Testing

@Suite(.timeLimit(.minutes(2))) struct NoAsyncTests {
    private static let calls = [
        "client.blocking.send(Request(.get, \"x\"))", "client.blocking.send(Get())",
        "client.blocking.stream(Request(.get, \"x\")) { _, next in try next()?.count }",
    ]

    private static func source(_ call: String, _ effects: String) -> String {
        """
        import Tsubame

        struct Get: Endpoint {
            var path: RequestPath { "x" }
            typealias Value = Int
        }

        func wait(for client: Client) \(effects) throws {
            _ = try \(call)
        }
        """
    }

    @Test(arguments: calls) func `a blocking call does not compile in asynchronous code`(call: String) async throws {
        let refused = try await Compiler.check(Self.source(call, "async"))
        #expect(!refused.accepts)
        #expect(
            refused.text.contains("is unavailable from asynchronous contexts; use `try await client."), "\(refused)")
        #expect(!refused.text.contains("missing required module"), "\(refused)")
    }

    @Test(arguments: calls) func `the same call compiles in synchronous code`(call: String) async throws {
        let accepted = try await Compiler.check(Self.source(call, ""))
        #expect(accepted.accepts, "\(accepted)")
    }

    @Test func `the ways that take a trailing closure are what they look like`() async throws {
        let accepted = try await Compiler.check(
            """
            import Tsubame

            @MainActor func start(_ client: Client, _ request: Request) {
                let call = client.start(request) { result in print(result) }
                client.start(request) { progress in print(progress.sent.fraction ?? 0) } then: { result in print(result) }
                call.cancel()
            }

            func read(_ client: Client) async throws {
                let users = try await client.get("users", query: ["page": 2]).json([String].self)
                try await client.put("users/\\(users.count)", json: users).accepted()
                for try await line in try await client.stream(Request(.get, "x"), { $0.body }).lines { print(line) }
            }
            """)
        #expect(accepted.accepts, "\(accepted)")
    }

    @Test func `an answer that nobody looks at is a warning`() async throws {
        let warned = try await Compiler.check(
            "import Tsubame\nfunc drop(_ client: Client) async throws { try await client.get(\"x\") }")
        #expect(warned.accepts && warned.text.contains("is unused"), "\(warned)")
    }
}
