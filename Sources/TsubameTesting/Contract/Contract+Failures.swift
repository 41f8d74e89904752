// The contract of failures: a response that is not whole is an error, and each error has its kind.
#if TestServer

import Tsubame

extension TransportContract {
    static let failures: [TransportContract] = [
        TransportContract("a port that refuses is a failed connection") { run in
            let port = try DeadPort()
            let client = run.client(port.url)
            let error = try await run.failure(.connectionFailed) { _ = try await client.get("x") }
            try run.expect(error.phase, is: .connecting, "the phase of the error")
            await client.close()
        },
        TransportContract("a name without an address is a failed look-up") { run in
            let client = run.client("http://nowhere.invalid")
            let error = try await run.failure(.nameResolution) { _ = try await client.get("x") }
            try run.expect(error.phase, is: .resolving, "the phase of the error")
            await client.close()
        },
        TransportContract("a server that closes, or resets, without a response is an error") { run in
            for reply in [Reply.close, Reply.reset] {
                try await run.serving(try await .start { _ in reply }) { server, client in
                    let error = try await run.failure(.emptyReply, .connectionLost) { _ = try await client.post("x") }
                    try run.expect(error.phase, is: .waitingForHead, "the phase of the error")
                    try run.expect(server.requests.count, is: 1, "the number of requests")
                }
            }
        },
        TransportContract("a body that is cut off is an error") { run in
            let heads = ["Content-Length: 10\r\n\r\nhel", "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n"]
            for head in heads {
                for end in [Reply.Step.close, .reset] {
                    let reply: Reply = [.bytes("HTTP/1.1 200 OK\r\n" + head), end]
                    try await run.serving(try await .start { _ in reply }) { server, client in
                        let error = try await run.failure(.incompleteResponse, .connectionLost) {
                            _ = try await client.get("x")
                        }
                        try run.expect(error.phase, is: .receivingBody, "the phase of the error")
                    }
                }
            }
        },
        TransportContract("bytes that are no response are an invalid one") { run in
            for text in ["HELLO\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n"] {
                try await run.serving(try await .start { _ in [.bytes(text), .close] }) { server, client in
                    try await run.failure(.invalidResponse) { _ = try await client.get("x") }
                }
            }
        },
        TransportContract("a head without an end is refused, not collected") { run in
            let reply: Reply = [
                .bytes("HTTP/1.1 200 OK\r\nX: "), .repeating(Array(repeating: 0x61, count: 1 << 16), count: 16 << 20),
                .stall,
            ]
            try await run.serving(try await .start { _ in reply }, { $0.timeouts.head = .seconds(10) }) {
                server, client in
                try await run.failure(.limitExceeded, .invalidResponse) { _ = try await client.get("x") }
                try run.expect(server.sentBodyBytes < 8 << 20, "the transport took \(server.sentBodyBytes) bytes")
            }
        },
        TransportContract("an error names its request") { run in
            try await run.serving(try await .start { _ in .close }) { server, client in
                let error = try await run.failure(.emptyReply, .connectionLost) {
                    _ = try await client.post("the/path")
                }
                try run.expect(error.request?.uri?.path ?? "", is: "/the/path", "the path of the error's request")
            }
        },
    ]
}
#endif
