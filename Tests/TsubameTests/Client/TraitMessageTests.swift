// TraitMessageTests: what the compiler says about a product whose trait is off.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(3))) struct TraitMessageTests {
    @Test(arguments: [
        ("TsubameXML", "XML", "func test(_ response: Response) throws { _ = try response.xml(String.self) }"),
        ("TsubameXML", "XML", "let body = RequestBody.xml(1, root: \"a\")"),
        ("TsubameStore", "Store", "func test() throws { _ = try CookieJar(sqlite: \"a\") }"),
        ("TsubameStore", "Store", "func test() throws { _ = try ResponseCache(sqlite: \"a\") }"),
        (
            "TsubameStore", "Store",
            "import Foundation; func test() throws { _ = try CookieJar(sqlite: URL(filePath: \"a\")) }"
        ),
        ("HTTPBin", "Server", "func test() async throws { let server = try await HTTPBin.start(); _ = server }"),
        (
            "HTTPBin", "Server",
            "func test() async throws { let server = try await HTTPBin.start(tls: .make()); _ = server }"
        ),
        (
            "TsubameTesting", "TestServer",
            "func test() async throws { _ = try await ScriptedServer.start(replies: []) }"
        ),
        ("TsubameTesting", "TestServer", "func test() async throws { _ = try await ScriptedServer.start() }"),
        ("TsubameTesting", "TestServer", "let roots = TestCertificates.authorityPEM"),
        ("TsubameTesting", "TestServer", "let reply = Reply.ok(\"hello\")"),
    ])
    func `without its trait a product builds, and its use names the trait`(
        _ module: String, _ trait: String, _ line: String
    ) async throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let stub = root.appending(path: "Sources/\(module)/Unavailable.swift").path
        let plain = try await Compiler.check("import \(module)", stubs: [module: stub])
        #expect(plain.accepts, "\(plain.text)")
        let used = try await Compiler.check("import Tsubame\nimport \(module)\n\(line)", stubs: [module: stub])
        #expect(!used.accepts && used.text.contains("traits: [.defaults, \"\(trait)\"]"), "\(used.text)")
    }
}
