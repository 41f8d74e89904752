// The contract of responses: status, fields, body and trailers, as the server sent them.
#if TestServer

import HTTPTypes
import Synchronization
import Tsubame

extension TransportContract {
    static let responses: [TransportContract] = [
        TransportContract("a response of any status is a response") { run in
            let statuses = [200, 201, 204, 299, 300, 400, 404, 499, 500, 503, 599]
            try await run.serving(try await .start { .status(.init(code: statuses[$0.index])) }) { server, client in
                for status in statuses {
                    try run.expect(try await client.get("x").statusCode, is: status, "the status")
                }
            }
        },
        TransportContract(
            "the fields of a response come as they were sent, also several of one name", unless: .fieldOrder
        ) { run in
            let head =
                "HTTP/1.1 200 OK\r\nX-A: 1\r\nSet-Cookie: a=1; Path=/\r\nx-a:  2 \r\nSet-Cookie: b=2, c\r\n"
                + "Content-Length: 0\r\n\r\n"
            try await run.serving(try await .start(replies: [.bytes(head)])) { server, client in
                let response = try await client.get("x")
                try run.expect(response.headers[values: "X-A"], is: ["1", "2"], "X-A")
                try run.expect(response.headers[values: "Set-Cookie"], is: ["a=1; Path=/", "b=2, c"], "Set-Cookie")
            }
        },
        TransportContract("HEAD, 204 and 304 have no body, whatever the fields say") { run in
            let server = try await ScriptedServer.start(replies: [
                .bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
                .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .bytes("HTTP/1.1 204 No Content\r\n\r\n"),
                .bytes("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: \"x\"\r\n\r\n"), .ok("after"),
            ])
            try await run.serving(server) { server, client in
                let head = try await client.head("x")
                try run.expect(head.bytes.count, is: 0, "the body of HEAD")
                try run.expect(head.headers["Content-Length"], is: "5", "Content-Length of HEAD")
                try run.expect(try await client.head("x").bytes.count, is: 0, "the body of a chunked HEAD")
                for status in [204, 304] {
                    let response = try await client.get("x")
                    try run.expect(response.statusCode, is: status, "the status")
                    try run.expect(response.bytes.count, is: 0, "the length of the body of \(status)")
                }
                try run.expect(try await client.get("x").text(), is: "after", "the response after them")
            }
        },
        TransportContract("a 1xx response comes before the response and is not taken for it") { run in
            let server = try await ScriptedServer.start(replies: [
                Reply.bytes("HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n")
                    .then(.bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
            ])
            try await run.serving(server) { server, client in
                let response = try await client.get("x")
                try run.expect(response.statusCode, is: 200, "the status")
                try run.expect(try await response.text(), is: "ok", "the body")
            }
        },
        TransportContract("1xx responses are reported", needs: [.informational]) { run in
            let server = try await ScriptedServer.start(replies: [
                .bytes("HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            ])
            try await run.serving(server) { server, client in
                let seen = Mutex<[Int]>([])
                let subscription = client.observe { event in
                    if case .informational(let status, _) = event.kind { seen.withLock { $0.append(status) } }
                }
                _ = try await client.get("x")
                subscription.cancel()
                try run.expect(seen.withLock { $0 }, is: [103], "the informational statuses")
            }
        },
        TransportContract("trailer fields come after the body", needs: [.trailers]) { run in
            let server = try await ScriptedServer.start(replies: [
                .chunked(["a", "b"], trailers: [.init("X-Digest") ?? .eTag: "abc"])
            ])
            try await run.serving(server) { server, client in
                let (text, trailer) = try await client.stream("x") { response in
                    (
                        String(decoding: try await response.body.collect(), as: UTF8.self),
                        response.trailers?[.init("X-Digest") ?? .eTag]
                    )
                }
                try run.expect(text, is: "ab", "the body")
                try run.expect(trailer, is: "abc", "the trailer field")
            }
        },
    ]

    static let responseBodies: [TransportContract] = [
        TransportContract("a body arrives byte for byte, however it is framed") { run in
            let content = (0..<1_200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
            let pieces = stride(from: 0, to: content.count, by: 50_021).map {
                Array(content[$0..<min($0 + 50_021, content.count)])
            }
            let chunks = pieces.map { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + [13, 10] }
            let server = try await ScriptedServer.start(replies: [
                .ok(content),
                [
                    .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .pieces(chunks),
                    .bytes("0\r\n\r\n"),
                ],
                [.bytes("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), .pieces(pieces), .close], .ok(),
            ])
            try await run.serving(server) { server, client in
                for framing in ["Content-Length", "chunks", "the end of the connection"] {
                    let response = try await client.get("x")
                    try run.expect(Array(response.bytes) == content, "the body framed by \(framing) arrived changed")
                }
                try run.expect(try await client.get("x").bytes.count, is: 0, "the length of an empty body")
            }
        },
        TransportContract("the head comes before the body") { run in
            let gate = Gate()
            let server = try await ScriptedServer.start(replies: [
                [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"), .wait(for: gate), .bytes("late")]
            ])
            try await run.serving(server) { server, client in
                let text = try await client.stream("x") { response in
                    try run.expect(response.statusCode, is: 200, "the status")
                    gate.open()
                    return String(decoding: try await response.body.collect(), as: UTF8.self)
                }
                try run.expect(text, is: "late", "the body")
            }
        },
        TransportContract("a reader that stops makes the server stop", unless: .backPressure) { run in
            try await run.serving(try await .start(replies: [.stream(32 << 20)])) { server, client in
                try await client.stream("x") { response in
                    var iterator = response.body.makeAsyncIterator()
                    try run.expect(try await iterator.next() != nil, "the body ended")
                    let isBlocked = try await withThrowingTaskGroup(of: Bool.self) { group in
                        group.addTask {
                            try await server.waitUntilBlocked()
                            return true
                        }
                        group.addTask {
                            try await server.waitUntil(sentBodyBytes: 16 << 20)
                            return false
                        }
                        defer { group.cancelAll() }
                        return try await group.next() ?? false
                    }
                    let sent = server.sentBodyBytes
                    try run.expect(isBlocked, "the server sent \(sent) bytes to a reader that took one piece")
                }
            }
        },
        TransportContract("a slow reader gets every byte of a long body") { run in
            let count = 6 << 20
            try await run.serving(try await .start(replies: [.stream(count)])) { server, client in
                let read = try await client.stream("x") { response in
                    var read = 0
                    for try await piece in response.body {
                        read += piece.count
                        if read % 5 == 0 { await Task.yield() }
                    }
                    return read
                }
                try run.expect(read, is: count, "the number of bytes")
            }
        },
        TransportContract("progress of a download rises to the length of the body") { run in
            try await run.serving(try await .start(replies: [.stream(2 << 20)])) { server, client in
                let seen = Mutex<[Int64]>([])
                let subscription = client.observe { event in
                    if case .receiving(let progress) = event.kind { seen.withLock { $0.append(progress.bytes) } }
                }
                _ = try await client.get("x")
                subscription.cancel()
                let values = seen.withLock { $0 }
                try run.expect(values == values.sorted(), "the progress falls: \(values)")
                try run.expect(values.last ?? -1, is: 2 << 20, "the last progress")
            }
        },
    ]
}
#endif
