// The contract of restraint: a transport does one exchange. Redirects, cookies, caching, credentials and decoding are the
// client's.
#if TestServer

import HTTPTypes
import Tsubame

extension TransportContract {
    /// "hello" as gzip has it.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86,
        0xA6,
        0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
    ]

    static let modesty: [TransportContract] = [
        TransportContract("a transport follows no redirect") { run in
            try await run.serving(try await .start { _ in .redirect(to: "/other") }, { $0.redirects = .off }) {
                server, client in
                let response = try await client.get("x")
                try run.expect(response.statusCode, is: 302, "the status")
                try run.expect(response.headers["Location"], is: "/other", "Location")
                try run.expect(server.requests.count, is: 1, "the number of requests")
            }
        },
        TransportContract("a transport keeps no cookie") { run in
            let reply = Reply.ok(headers: [.setCookie: "a=1; Path=/"])
            try await run.serving(try await .start { _ in reply }) { server, client in
                _ = try await client.get("x")
                _ = try await client.get("x")
                try run.expect(try await server.request(1)["cookie"] == nil, "the second request has a cookie")
            }
        },
        TransportContract("a transport keeps no response") { run in
            let fields: HTTPFields = [.cacheControl: "max-age=3600", .eTag: "\"x\""]
            try await run.serving(try await .start { .ok("\($0.index)", headers: fields) }) { server, client in
                for index in 0..<2 {
                    try run.expect(try await client.get("x").text(), is: "\(index)", "the response")
                }
                let second = try await server.request(1)
                try run.expect(second["if-none-match"] == nil, "the second request has If-None-Match")
            }
        },
        TransportContract("a transport answers no challenge, and sends no credentials of its own") { run in
            let reply = Reply.status(.unauthorized, "no", headers: [.wwwAuthenticate: "Basic realm=\"x\""])
            try await run.serving(try await .start { _ in reply }) { server, client in
                let response = try await client.get("x")
                try run.expect(response.statusCode, is: 401, "the status")
                try run.expect(server.requests.count, is: 1, "the number of requests")
                try run.expect(try await server.request(0)["authorization"] == nil, "the request has credentials")
            }
        },
        TransportContract("a coded body is decoded once, and by the client", unless: .codedBodies) { run in
            let reply = Reply.ok(gzip, headers: [.contentEncoding: "gzip"])
            try await run.serving(try await .start { _ in reply }) { server, client in
                try run.expect(try await client.get("x").text(), is: "hello", "the decoded body")
                let raw = client.with { $0.decoding = .off }
                let response = try await raw.get("x")
                try run.expect(Array(response.bytes) == gzip, "the transport changed the coded body")
                try run.expect(response.headers["Content-Encoding"], is: "gzip", "Content-Encoding")
                let second = try await server.request(1)
                try run.expect(second["accept-encoding"] == nil, "the transport asks for codings by itself")
            }
        },
        TransportContract("a transport sends a request once") { run in
            try await run.serving(try await .start { _ in .status(.serviceUnavailable) }) { server, client in
                for method in [HTTPRequest.Method.get, .post] {
                    try run.expect(
                        try await client.send(Request(method, "x", headers: [.retryAfter: "0"])).statusCode, is: 503,
                        "the status")
                }
                try run.expect(server.requests.count, is: 2, "the number of requests")
            }
        },
    ]
}
#endif
