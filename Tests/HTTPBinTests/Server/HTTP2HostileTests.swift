// HTTP2HostileTests: HTTP/2 clients that send too much or malformed bytes.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct HTTP2HostileTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    private struct Frame: Hashable {
        let type: UInt8
        let payload: [UInt8]
    }

    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        let head = [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags, 0, 0]
        return head + [UInt8(stream >> 8), UInt8(stream & 255)] + payload
    }

    /// `GET /delay/10` on a stream: two fields of RFC 7541's static table and two literals without indexing.
    private static func request(_ stream: Int, ends: Bool = true) -> [UInt8] {
        let path = Array("/delay/10".utf8)
        let block: [UInt8] = [0x82, 0x86, 0x04, UInt8(path.count)] + path + [0x01, 0x01, 0x78]
        return frame(1, flags: ends ? 0x5 : 0x1, stream: stream, block)
    }

    private static func frames(_ bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes[...]
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            frames.append(Frame(type: head[3], payload: Array(rest.dropFirst(9).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }

    /// All frames that the server sends until it closes the connection.
    private static func answer(to bytes: [UInt8]) async throws -> [Frame] {
        try await withServer { server async throws in
            let received = try await RawConnection.open(to: server) { connection async throws in
                try await connection.send(preface + settings + bytes)
                return await connection.rest()
            }
            #expect(try await server.get("/get").status == 200)
            return frames(received)
        }
    }

    private static func errorCode(_ frames: [Frame]) -> UInt8? {
        frames.first { $0.type == 7 }.flatMap { $0.payload.count >= 8 ? $0.payload[7] : nil }
    }

    @Test func aPrefaceMayComeByteByByte() async throws {
        try await withServer { server async throws in
            let received = try await RawConnection.open(to: server) { connection async throws in
                for byte in Self.preface { try await connection.send([byte]) }
                try await connection.send(Self.settings)
                connection.finishSending()
                return await connection.rest()
            }
            #expect(Self.frames(received).first?.type == 4)
        }
    }

    @Test func whatOnlyBeginsLikeAPrefaceIsHTTP1() async throws {
        try await withServer { server async throws in
            let answer = try await server.exchange("PRI * HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(answer.version == "HTTP/1.1" && answer.status >= 400)
            let early = try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("PRI * HT")
                connection.finishSending()
                return await connection.rest()
            }
            #expect(!String(decoding: early, as: UTF8.self).contains("200 OK"))
            #expect(try await server.post("/post", body: "P").status == 200)
        }
    }

    @Test func aServerMaySpeakHTTP1Only() async throws {
        try await withServer(HTTPBin(http2: false)) { server async throws in
            let received = try await RawConnection.open(to: server) { connection async throws in
                try await connection.send(Self.preface + Self.settings)
                return await connection.rest()
            }
            #expect(String(decoding: received, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
            #expect(try await server.get("/get").status == 200)
        }
        try await withServer(HTTPBin(tls: try .make(), http2: false)) { server async throws in
            await #expect(throws: (any Error).self) {
                try await HTTP2Client.open(to: server) { client async throws in
                    guard try await client.get("/get").status == 200 else { throw RawConnection.Ended() }
                }
            }
            #expect(try await server.get("/get").status == 200)
        }
    }

    @Test func resetsThatComeTooFastEndTheConnection() async throws {
        let flood = (0..<300).flatMap { index in
            Self.request(2 * index + 1) + Self.frame(3, stream: 2 * index + 1, [0, 0, 0, 8])
        }
        #expect(Self.errorCode(try await Self.answer(to: flood)) == 0xB)
    }

    @Test func continuationsWithoutEndEndTheConnection() async throws {
        let start = Self.frame(1, stream: 1, [0x82, 0x86, 0x84])
        let flood = (0..<20).flatMap { _ in Self.frame(9, stream: 1, [0x00, 0x01, 0x78, 0x01, 0x79]) }
        #expect(Self.errorCode(try await Self.answer(to: start + flood)) != 0)
    }

    @Test func pingsThatComeTooFastEndTheConnection() async throws {
        let flood = (0..<500).flatMap { _ in Self.frame(6, [UInt8](repeating: 0, count: 8)) }
        #expect(Self.errorCode(try await Self.answer(to: flood)) == 0xB)
    }

    @Test(arguments: [
        (frame(0, stream: 0, [1]), 0x1),  // DATA on stream 0
        (frame(4, [0, 0, 0, 0, 0]), 0x6),  // SETTINGS of five bytes
        (frame(1, flags: 0x5, stream: 1, [0x80]), 0x9),  // index 0
        (frame(8, [0x7F, 0xFF, 0xFF, 0xFF]), 0x3),  // the connection's window grows beyond 2^31-1
    ])
    func whatBreaksTheProtocolEndsTheConnection(bytes: [UInt8], code: Int) async throws {
        let received = Self.errorCode(try await Self.answer(to: bytes))
        #expect(received.map(Int.init) == code)
    }

    /// Literals without indexing. The fault of such a head concerns only its own stream.
    private static func block(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            bytes += [0, UInt8(name.utf8.count)]
            bytes += name.utf8
            bytes.append(UInt8(value.utf8.count))
            bytes += value.utf8
        }
        return bytes
    }

    private static let oddHeads: [[UInt8]] = [
        block([:]),
        block([":method": "GET", ":scheme": "http"]),
        block([":method": "GET", ":scheme": "http", ":path": ""]),
        block([":method": "GET", ":scheme": "http", ":path": "get"]),
        block([":method": "GET", ":scheme": "http", ":path": "*"]),
        block([":method": "OPTIONS", ":scheme": "http", ":path": "*"]),
        block([":method": "CONNECT", ":authority": "test:443"]),
        block([":method": "G T", ":scheme": "http", ":path": "/get"]),
        block([":method": "", ":scheme": "http", ":path": "/get"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", ":path": "/ip"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", ":status": "200"]),
        block([":method": "GET", ":scheme": "http", "a": "b", ":path": "/get"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", ":protocol": "websocket"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", "Upper": "case"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", "connection": "close"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", "transfer-encoding": "chunked"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", "content-length": "x"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", "content-length": "-1"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", "host": "a", "host": "b"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", "a": "\r\nb"]),
        block([":method": "GET", ":scheme": "http", ":path": "/get", "": "x"]),
        block([":method": "POST", ":scheme": "http", ":path": "/post", "content-length": "5"]),
    ]

    @Test(arguments: oddHeads)
    func anOddHeadHarmsNobodyElse(block: [UInt8]) async throws {
        try await withServer { server async throws in
            let received = try await RawConnection.open(to: server) { connection async throws in
                let odd = Self.frame(1, flags: 0x4, stream: 1, block) + Self.frame(0, flags: 0x1, stream: 1, [1])
                try await connection.send(Self.preface + Self.settings + odd)
                connection.finishSending()
                return await connection.rest()
            }
            #expect(Self.frames(received).first?.type == 4)
            #expect(try await server.get("/get").status == 200)
        }
    }

    @Test func trailersThatDoNotEndAndComeTwiceHarmNobodyElse() async throws {
        let trailers = Self.frame(1, flags: 0x4, stream: 1, Self.block(["a": "b"]))
        for trailer in [trailers + trailers + trailers, Self.frame(1, flags: 0x5, stream: 1, Self.block([":a": "b"]))] {
            try await withServer { server async throws in
                try await RawConnection.open(to: server) { connection async throws in
                    let start = Self.frame(
                        1, flags: 0x4, stream: 1, Self.block([":method": "POST", ":scheme": "http", ":path": "/post"]))
                    try await connection.send(Self.preface + Self.settings + start + trailer)
                    connection.finishSending()
                    _ = await connection.rest()
                }
                #expect(try await server.get("/get").status == 200)
            }
        }
    }
}

#endif
