// ServerLifeTests: starting, stopping, and many servers at once.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerLifeTests {
    @Test func listensOnAFreePortWhenStartReturns() async throws {
        let server = try await HTTPBin.start()
        #expect((1...65535).contains(server.port))
        #expect(server.url == "http://127.0.0.1:\(server.port)")
        #expect(try await server.get("/get").status == 200)
        await server.stop()
    }

    @Test func freesItsPortWhenItIsStopped() async throws {
        // Another process may take a port that has just become free, but not each time.
        var successor: RunningHTTPBin?
        for _ in 0..<5 where successor == nil {
            let server = try await HTTPBin.start()
            await server.stop()
            successor = try? await HTTPBin.start(port: server.port)
        }
        #expect(successor != nil)
        await successor?.stop()
    }

    @Test func stopMayBeCalledTwiceAndFromSeveralTasks() async throws {
        let server = try await HTTPBin.start()
        async let first: Void = server.stop()
        async let second: Void = server.stop()
        _ = await (first, second)
        await server.stop()
        #expect(server.connectionCount == 0)
    }

    @Test func stopClosesIdleConnections() async throws {
        let server = try await HTTPBin.start()
        try await RawConnection.open(to: server) { connection async throws in
            try await connection.send("GET /get HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try await connection.answer().status == 200)
            #expect(server.connectionCount == 1)
            await server.stop()
            #expect(server.connectionCount == 0)
            #expect(await connection.rest().isEmpty)
        }
    }

    @Test(arguments: [
        "GET /delay/10", "GET /drip?duration=3000&numbytes=100&delay=0", "GET /drip?delay=3000",
        "GET /sse?n=9&delay=3000", "GET /slow-headers/60", "GET /early-hints?delay=60", "GET /range/9?duration=3000",
        "POST /upload", "POST /post", "GET /keyvalue?delay=3000",
    ])
    func stopEndsARunningAnswer(request: String) async throws {
        let (records, recorded) = AsyncStream.makeStream(of: Void.self)
        let server = try await HTTPBin(onRequest: { _ in recorded.yield() }).start()
        try await RawConnection.open(to: server) { connection async throws in
            // The endpoint keeps waiting for a body that never arrives.
            let isUpload = request.hasPrefix("POST")
            try await connection.send(
                "\(request) HTTP/1.1\r\nHost: test\r\n\(isUpload ? "Content-Length: 9\r\n" : "")\r\n")
            if !isUpload { for await _ in records { break } }
            await server.stop()
            #expect(server.connectionCount == 0)
            _ = await connection.rest()
        }
    }

    @Test func aPortInUseIsAnErrorThatNamesIt() async throws {
        try await withServer { server async throws in
            let error = await #expect(throws: HTTPBinError.self) { try await HTTPBin.start(port: server.port) }
            #expect(error?.description.contains("port \(server.port)") == true)
        }
    }

    @Test(arguments: [-1, 65536, .max, .min])
    func aNumberThatIsNoPortIsAnError(port: Int) async {
        await #expect(throws: HTTPBinError.invalidPort(port)) { try await HTTPBin.start(port: port) }
    }

    @Test func aHostThatIsNoAddressIsAnError() async {
        await #expect(throws: HTTPBinError.self) { try await HTTPBin.start(host: "256.256.256.256") }
    }

    @Test func runServesUntilItsTaskIsCancelled() async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let task = Task { try await HTTPBin().run { listening.yield($0) } }
        for await port in ports {
            #expect(port > 0)
            break
        }
        task.cancel()
        try await task.value
    }

    @Test func aServerThatIsDroppedCloses() async throws {
        var successor: RunningHTTPBin?
        // Another process may take the port, but not each time.
        for _ in 0..<3 where successor == nil {
            var server: RunningHTTPBin? = try await HTTPBin.start()
            let port = try #require(server).port
            server = nil
            // The port is free once the listener is gone; until then a new listener cannot have it.
            let end = ContinuousClock.now + .seconds(30)
            while successor == nil, ContinuousClock.now < end {
                successor = try? await HTTPBin.start(port: port)
                await Task.yield()
            }
        }
        #expect(successor != nil)
        await successor?.stop()
    }

    @Test func serversShareNothing() async throws {
        try await withServer { first in
            try await withServer { second async throws in
                let login = try await first.signIn()
                let session = try #require(login["Set-Cookie"]?.split(separator: ";").first)
                #expect(try await first.get("/me", "Cookie: \(session)").status == 200)
                #expect(try await second.get("/me", "Cookie: \(session)").status == 401)
            }
        }
    }

    @Test func serversCanBeStoppedWhileClientsConnect() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<8 {
                        let server = try await HTTPBin.start()
                        await withTaskGroup(of: Void.self) { clients in
                            for _ in 0..<6 { clients.addTask { _ = try? await server.get("/get") } }
                            clients.addTask { await server.stop() }
                        }
                        #expect(server.connectionCount == 0)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

#endif
