// PathMessageTests: what the compiler says about a text where a path is meant.

import Testing

@Suite(.timeLimit(.minutes(3))) struct PathMessageTests {
    private func message(_ line: String) async throws -> Verification {
        try await Compiler.check(
            """
            import Foundation
            import Tsubame

            struct Opaque {}

            func test(_ client: Client, _ text: String, _ number: Int?, _ name: String?, _ opaque: Opaque) async throws {
                \(line)
            }
            """)
    }

    @Test(arguments: [
        "_ = try await client.get(text)", "_ = try await client.post(text, json: 1)",
        "_ = try await client.delete(text, query: [\"a\": 1])", "_ = Request(.get, text)",
        "_ = try await client.stream(text) { $0.statusCode }", "_ = client.events(text)", "_ = client.pages(text)",
        "_ = client.jsonLines(text, of: Int.self)", "_ = try await client.download(text, to: URL(filePath: \"/\"))",
    ])
    func `a text is no path, and the message says what to write`(_ line: String) async throws {
        let result = try await message(line)
        #expect(!result.accepts && result.text.contains("path: text"), "\(result.text)")
    }

    @Test(arguments: ["number", "name"])
    func `an optional in a path is refused, and the message says what to do`(_ value: String) async throws {
        let result = try await message("_ = try await client.get(\"users/\\(\(value))\")")
        #expect(!result.accepts && result.text.contains("unwrap the value"), "\(result.text)")
    }

    @Test(arguments: ["opaque", "[1, 2]", "Date()", "[\"a\": 1]", "URL(filePath: \"/\")", "Set([1])"])
    func `a value of another type is refused, and the message says what to put in`(_ value: String) async throws {
        let result = try await message("_ = try await client.get(\"users/\\(\(value))\")")
        #expect(!result.accepts && result.text.contains("describe the value first"), "\(result.text)")
    }

    @Test(arguments: ["tls.minimumRSABits = 1", "proxy = .none", "resolver = .system", "resolve = [:]"])
    func `a setting of connections is looked for beside the others, and the message says where it is`(
        _ setting: String
    ) async throws {
        let result = try await message("_ = Client { $0.\(setting) }")
        let name = setting.prefix { $0 != " " && $0 != "." }
        #expect(!result.accepts && result.text.contains("renamed to 'connection.\(name)'"), "\(result.text)")
        let right = try await message("_ = Client { $0.connection.\(setting) }")
        #expect(right.accepts, "\(right.text)")
    }

    @Test(arguments: [
        "_ = try await client.get(\"users\")", "_ = try await client.get(\"users/\\(text)\")",
        "enum Kind: String { case a }; _ = try await client.get(\"users/\\(Kind.a)/\\(text.dropFirst())/\\(true)\")",
        "_ = try await client.get(path: text)", "_ = try await client.stream(path: text) { $0.statusCode }",
        "_ = client.events(path: text); _ = client.pages(path: text); _ = client.jsonLines(path: text, of: Int.self)",
        "_ = try await client.download(path: text, to: URL(filePath: \"/\"))",
        "_ = try await client.download(\"a\", to: text); _ = try await client.upload(text, to: \"a\")",
        "_ = Client { $0.connection.unixSocket = \"\\(text)/a\"; $0.connection.tls.keyLogFile = .file(text) }",
        "_ = try await client.get(\"users/\\(number ?? 1)\")",
        "_ = try await client.get(url: text, timeout: .seconds(1))", "_ = try await client.get(\"x/\\(UUID())\")",
        "_ = try await client.get(\"x\", query: [\"a\": [1, 2], \"b\": Date(), \"c\": URL(filePath: \"/\"), \"d\": number])",
    ])
    func `what a newcomer writes first compiles`(_ line: String) async throws {
        let result = try await message(line)
        #expect(result.accepts, "\(result.text)")
    }
}
