// The contract against a whole server: the embedded httpbin.
#if TestServer

import HTTPBin
import HTTPTypes
import Tsubame

extension TransportContract {
    private struct Echo: Decodable {
        var method: String
        var url: String
        var data: String
        var args: [String: String]
        var headers: [String: String]
    }

    static let embeddedServer: [TransportContract] = [
        TransportContract("a server echoes what was sent") { run in
            try await run.withHTTPBin { client in
                for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
                    let body: RequestBody = method == .get ? .empty : .text("燕 swallow")
                    let echo = try await client.send(
                        Request(method, "anything", query: ["q": "a b&c"], headers: ["X-Test": "1"], body: body)
                    ).json(Echo.self)
                    try run.expect(echo.method, is: method.rawValue, "the method")
                    try run.expect(echo.args, is: ["q": "a b&c"], "the query")
                    try run.expect(echo.data, is: method == .get ? "" : "燕 swallow", "the body")
                    try run.expect(echo.headers["X-Test"], is: "1", "X-Test")
                }
            }
        },
        TransportContract("the client's redirects, cookies and credentials work over the transport") { run in
            try await run.withHTTPBin { client in
                let redirected = try await client.get("redirect/3")
                try run.expect(redirected.history.count, is: 3, "the number of redirects")
                try run.expect(redirected.statusCode, is: 200, "the status after them")
                let keeping = client.with { $0.cookies = .memory }
                _ = try await keeping.get("cookies/set", query: ["a": "1"])
                try run.expect(
                    try await keeping.get("cookies").text().contains("\"a\": \"1\""), "the cookie did not come back")
                let signed = client.with { $0.authentication = .basic(user: "user", password: "pass") }
                try run.expect(
                    try await signed.get("basic-auth/user/pass").statusCode, is: 200, "the status with credentials")
            }
        },
        TransportContract("content codings arrive as they are, and are decoded once") { run in
            try await run.withHTTPBin { client in
                for coding in ["gzip", "deflate"] {
                    let text = try await client.get("\(coding)").text()
                    try run.expect(text.contains("true"), "the body of /\(coding) is \(text.prefix(60))")
                }
            }
        },
        TransportContract("a body of random bytes and a stream of lines arrive in full") { run in
            try await run.withHTTPBin { client in
                try run.expect(
                    try await client.get("stream-bytes/100000", query: ["seed": 7]).bytes.count, is: 100_000,
                    "the number of bytes")
                let lines = try await client.get("stream/20").text().split(separator: "\n")
                try run.expect(lines.count, is: 20, "the number of lines")
            }
        },
        TransportContract("a body that the server truncates is an error") { run in
            try await run.withHTTPBin { client in
                try await run.failure(.incompleteResponse, .connectionLost) {
                    _ = try await client.get("truncate/100")
                }
            }
        },
    ]
}

extension ContractRun {
    fileprivate func withHTTPBin(_ body: (Client) async throws -> Void) async throws {
        let server = try await HTTPBin.start()
        let client = client(server.url)
        do {
            try await body(client)
            try await LeakCheck.verify(client)
        } catch {
            await client.close()
            await server.stop()
            throw error
        }
        await client.close()
        await server.stop()
    }
}
#endif
