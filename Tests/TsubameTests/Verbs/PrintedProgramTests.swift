// PrintedProgramTests: the Swift that a request prints compiles against this library.

import HTTPTypes
import Testing
import Tsubame

@Suite(.timeLimit(.minutes(5)))
struct PrintedProgramTests {
    private static let requests = [
        Request(.get, url: "http://h/a?b=c d", headers: [.accept: "a\"b\\c", "X-Empty": ""]),
        Request(.post, url: "http://h/é/../x", body: .text("a\n\u{1}\t\u{2028}é🐦")),
        Request(.put, url: "http://h/", body: .bytes([0, 255], contentType: "application/octet-stream")),
        Request(HTTPRequest.Method("PURGE") ?? .get, url: "http://h/", body: .file("/tmp/a b")),
    ]

    private static let settings = [
        "$0.redirects = .off", "$0.connection.tls.verification = .dangerouslyOff", "$0.timeouts.total = .seconds(2.5)",
        "$0.connection.proxy = .url(\"http://p:1\")", "$0.authentication = .digest(user: \"a\", password: \"b\")",
    ]

    @Test func `all of them compile`() async throws {
        // One source for all, because each run of the compiler takes seconds.
        var source = "import Foundation\nimport Tsubame\n"
        for (index, request) in Self.requests.enumerated() {
            let lines = request.swiftProgram(Self.settings).split(separator: "\n").filter { !$0.hasPrefix("import ") }
            source += "func send\(index)() async throws {\n\(lines.joined(separator: "\n"))\n}\n"
        }
        let found = try await Compiler.check(source)
        // A function that is printed instead of called would only be warned of.
        #expect(found.accepts && !found.text.contains("warning:"), "\(found.text)\n\(source)")
        let wrong = try await Compiler.check(source.replacing("client.send(request)", with: "client.sent(request)"))
        #expect(!wrong.accepts)
    }
}
