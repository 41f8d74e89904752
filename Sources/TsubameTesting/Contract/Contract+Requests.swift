// The contract of requests: the head that arrives at the server.
#if TestServer

import HTTPTypes
import Tsubame

extension TransportContract {
    static let requests: [TransportContract] = [
        TransportContract("a method, also one of the caller's own, arrives as it was written") { run in
            try await run.serving(try await .start()) { server, client in
                let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "PURGE"]
                for (index, name) in methods.enumerated() {
                    guard let method = HTTPRequest.Method(rawValue: name) else { continue }
                    let response = try await client.send(Request(method, "x"))
                    try run.expect(response.statusCode, is: 200, "the status of \(name)")
                    try run.expect(try await server.request(index).method, is: name, "the method")
                }
            }
        },
        TransportContract("the target arrives byte for byte") { run in
            try await run.serving(try await .start()) { server, client in
                for (index, target) in ["/a%2Fb?x=%20+&y", "/%E7%87%95?a=1&a=2&=", "/a//b/?", "/:@!$'()*,;="]
                    .enumerated()
                {
                    _ = try await client.get(url: server.url + target)
                    try run.expect(try await server.request(index).target, is: target, "the target")
                }
            }
        },
        TransportContract("OPTIONS can ask about the server as a whole", unless: .serverTarget) { run in
            try await run.serving(try await .start()) { server, client in
                var request = Request(.options, "x")
                request.asksServer = true
                _ = try await client.send(request)
                try run.expect(try await server.request(0).target, is: "*", "the target")
            }
        },
        TransportContract("the fields arrive with their values, and Host exactly once") { run in
            try await run.serving(try await .start()) { server, client in
                var request = Request(.get, "x")
                request.headers["X-One"] = "ü, \"q\""
                request.headers["Cookie"] = "a=1; b=2"
                request.headers["Accept"] = "text/plain;q=0.5"
                _ = try await client.send(request)
                let received = try await server.request(0)
                try run.expect(received.values("x-one"), is: ["ü, \"q\""], "X-One")
                try run.expect(received.values("cookie"), is: ["a=1; b=2"], "Cookie")
                try run.expect(received.values("accept"), is: ["text/plain;q=0.5"], "Accept")
                try run.expect(received.values("host"), is: ["127.0.0.1:\(server.port)"], "Host")
                try run.expect(received.values("user-agent").count, is: 1, "the number of User-Agent fields")
            }
        },
        TransportContract("a request without a body has none, and frames none") { run in
            try await run.serving(try await .start()) { server, client in
                _ = try await client.get("x")
                let received = try await server.request(0)
                try run.expect(received.bodyByteCount, is: 0, "the length of the body")
                try run.expect(received["transfer-encoding"] == nil, "the request has Transfer-Encoding")
                try run.expect(received["content-type"] == nil, "the request has Content-Type")
            }
        },
        TransportContract("a line break in a field never reaches the server") { run in
            try await run.serving(try await .start()) { server, client in
                let request = Request(.get, "x", headers: ["X-One": "a\r\nX-Two: b"])
                try await run.failure(.invalidRequest) { _ = try await client.send(request) }
                try run.expect(server.requests.count, is: 0, "the number of requests")
            }
        },
        TransportContract("200 calls at once each get their own response") { run in
            try await run.serving(try await .start { .ok($0.target) }) { server, client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            let text = try await client.get("call/\(number)").text()
                            try run.expect(text, is: "/call/\(number)", "the response to call \(number)")
                        }
                    }
                    try await group.waitForAll()
                }
                try run.expect(server.requests.count, is: 200, "the number of requests")
            }
        },
    ]
}
#endif
