// TLSTests: a server that speaks HTTPS.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct TLSTests {
    @Test(arguments: [nil, "localhost"])
    func aMadeCertificateProvesTheServersNames(name: String?) async throws {
        try await withServer(HTTPBin(tls: try .make())) { server in
            #expect(server.url == "https://127.0.0.1:\(server.port)")
            try await RawConnection.open(to: server, as: name) { connection async throws in
                for target in ["/get", "/stream/3", "/status/204", "/trailers", "/slow-headers/0.01", "/bytes/102400"] {
                    try await connection.send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
                    #expect((200..<300).contains(try await connection.answer().status))
                }
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test func aCertificateIsForTheNamesThatItWasMadeFor() async throws {
        try await withServer(HTTPBin(tls: try .make(for: ["swallow.example"]))) { server async throws in
            let status = try await RawConnection.open(to: server, as: "swallow.example") { connection async throws in
                try await connection.send("GET /get HTTP/1.1\r\nHost: test\r\n\r\n")
                return try await connection.answer().status
            }
            #expect(status == 200)
            for name in [nil, "localhost"] {
                await #expect(throws: (any Error).self) {
                    try await RawConnection.open(to: server, as: name) { connection async throws in
                        try await connection.send("GET /get HTTP/1.1\r\nHost: test\r\n\r\n")
                        _ = try await connection.answer()
                    }
                }
            }
        }
    }

    @Test func anAuthorityIsGoodForItsOwnServerOnly() async throws {
        let (first, second) = (try HTTPBin.Identity.make(), try HTTPBin.Identity.make())
        #expect(first.authority != second.authority)
        let mixed = HTTPBin.Identity(
            certificates: first.certificates, privateKey: first.privateKey, authority: second.authority)
        try await withServer(HTTPBin(tls: mixed)) { server async throws in
            _ = await #expect(throws: (any Error).self) { try await server.get("/get") }
        }
    }

    @Test func theAuthorityCanBeFetched() async throws {
        let identity = try HTTPBin.Identity.make()
        try await withServer(HTTPBin(tls: identity)) { server async throws in
            #expect(server.authority == identity.authority)
            #expect(try await server.get("/authority.pem").text == identity.authority)
        }
        try await withServer { server async throws in
            #expect(try await server.get("/authority.pem").status == 404)
        }
    }

    @Test func urlsAndCookiesAreOfHTTPS() async throws {
        try await withServer(HTTPBin(tls: try .make())) { server async throws in
            #expect(try await server.get("/get").text.contains("\"url\": \"https://test/get\""))
            #expect(try await server.get("/absolute-redirect/1")["Location"] == "https://test/get")
            #expect(try await server.get("/cookies/set?a=1")["Set-Cookie"] == "a=1; Secure; Path=/")
        }
    }

    @Test func recordsHoldTheBytesThatWereEncrypted() async throws {
        let (records, recorded) = AsyncStream.makeStream(of: RequestRecord.self)
        let settings = HTTPBin(tls: try .make(), onRequest: { recorded.yield($0) })
        try await withServer(settings) { server async throws in
            let head = "GET /get HTTP/1.1\r\nhOsT:test\r\nX-Two:  a\r\n\r\n"
            _ = try await server.exchange(head)
            for await record in records {
                #expect(String(decoding: record.head, as: UTF8.self) == head)
                break
            }
        }
    }

    @Test func closeIsAnsweredAndDone() async throws {
        try await withServer(HTTPBin(tls: try .make())) { server in
            for target in ["/get", "/truncate/3"] {
                try await RawConnection.open(to: server) { connection async throws in
                    try await connection.send("GET \(target) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                    #expect(!(await connection.rest()).isEmpty)
                }
            }
        }
    }

    @Test func theServerDoesNotWaitForAClientThatHasLeft() async throws {
        try await withServer(HTTPBin(tls: try .make())) { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("GET /drip?delay=3000 HTTP/1.1\r\nHost: test\r\n\r\n")
                connection.finishSending()
                #expect(await connection.rest().isEmpty)
            }
        }
    }

    @Test func stopClosesIdleConnectionsAndRunningAnswers() async throws {
        let server = try await HTTPBin(tls: try .make()).start()
        try await RawConnection.open(to: server) { idle async throws in
            try await idle.send("GET /get HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try await idle.answer().status == 200)
            try await RawConnection.open(to: server) { busy async throws in
                try await busy.send("GET /drip?numbytes=2&duration=3000 HTTP/1.1\r\nHost: test\r\n\r\n")
                await server.stop()
                #expect(server.connectionCount == 0)
                _ = await busy.rest()
            }
            _ = await idle.rest()
        }
    }

    @Test func aClientThatSpeaksNoTLSIsRefusedAndTheServerGoesOn() async throws {
        let identity = try HTTPBin.Identity.make()
        let silent = HTTPBin.Identity(certificates: identity.certificates, privateKey: identity.privateKey)
        try await withServer(HTTPBin(tls: silent)) { server async throws in
            // Without an authority the connection uses no TLS.
            for text in ["GET /get HTTP/1.1\r\nHost: test\r\n\r\n", "\u{16}\u{3}\u{1}\0\u{5}hello", "\0\0\0\0\0\0"] {
                try await RawConnection.open(to: server) { connection async throws in
                    try await connection.send(text)
                    connection.finishSending()
                    #expect(!String(decoding: await connection.rest(), as: UTF8.self).contains("200"))
                }
            }
        }
        try await withServer(HTTPBin(tls: identity)) { server async throws in
            #expect(try await server.get("/get").status == 200)
        }
    }

    @Test(arguments: [("", ""), ("no certificate", "no key")])
    func whatIsNoIdentityIsAnError(certificates: String, key: String) async throws {
        let identity = HTTPBin.Identity(certificates: certificates, privateKey: key)
        await #expect(throws: HTTPBinError.self) { try await HTTPBin(tls: identity).start() }
    }

    @Test func aKeyOfAnotherCertificateIsAnError() async throws {
        let (first, second) = (try HTTPBin.Identity.make(), try HTTPBin.Identity.make())
        let mixed = HTTPBin.Identity(certificates: first.certificates, privateKey: second.privateKey)
        await #expect(throws: HTTPBinError.self) { try await HTTPBin.start(tls: mixed) }
    }

    @Test func aNameThatNoCertificateCanHoldIsAnError() {
        #expect(throws: HTTPBinError.self) { try HTTPBin.Identity.make(for: ["燕.example"]) }
    }
}

#endif
