// TransportTests: the exchange between the chain and a transport of the user's.

import Dispatch
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

/// A transport that a closure performs, and that honours `honoured` alone.
private struct Performed: Transport {
    var name: String { "performed" }
    var honoured: Set<ConnectionSettings.Name> = Set(ConnectionSettings.Name.allCases)
    let perform: @Sendable (Request, TransportExchange) async throws(CallError) -> Response

    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        try await perform(request, exchange)
    }

    func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> {
        settings.changed.subtracting(honoured)
    }
}

/// Relies on the default for settings.
private struct Unaware: Transport {
    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        Response(status: .ok)
    }
}

@Suite(.timeLimit(.minutes(2))) struct TransportTests {
    private func client(
        _ configure: (inout Configuration) -> Void = { _ in },
        _ perform: @escaping @Sendable (Request, TransportExchange) async throws(CallError) -> Response
    ) -> Client {
        Client("http://host.example", transport: Performed(perform: perform)) {
            $0.connection.proxy = .none
            $0.retry = .off
            configure(&$0)
        }
    }

    // MARK: Late facts

    @Test func `times and connection that are known only at the end replace the client's own`() async throws {
        let info = ConnectionInfo(remoteAddress: "192.0.2.1:80", version: .http2)
        let timings = Timings(connected: .milliseconds(20), head: .zero, total: .seconds(3))
        let client = client { _, exchange in
            let (body, writer) = ResponseBody.makeStream(onPause: {}, onResume: {}, onCancel: {})
            writer.write(Bytes("late".utf8))
            let age = exchange.callAge
            #expect(age > .zero && age < .seconds(60))
            exchange.report(timings, connection: info)
            writer.finish()
            return Response(status: .ok, body: body)
        }
        let response = try await client.get("x")
        #expect(response.connection == info && response.version == .http2)
        // The client's own time stays where the transport tells none.
        #expect(response.timings.sent != nil && response.timings.secured == nil)
        #expect(response.timings.connected == .milliseconds(20) && response.timings.head == .zero)
        #expect(response.timings.resolved == nil && response.timings.total == .seconds(3))
    }

    @Test func `the facts come to a response that the caller has already`() async throws {
        let exchanges = Log<TransportExchange>()
        let client = client { _, exchange in
            exchanges.add(exchange)
            let (body, writer) = ResponseBody.makeStream(onPause: {}, onResume: {}, onCancel: {})
            writer.finish()
            return Response(status: .ok, body: body)
        }
        try await client.stream(Request(.get, "x")) { response in
            #expect(response.timings.total == nil && response.connection == nil)
            exchanges.all.first?.report(
                Timings(total: .seconds(1)), connection: ConnectionInfo(remoteAddress: "192.0.2.1:80", version: .http3))
            #expect(response.timings.total == .seconds(1) && response.version == .http3)
        }
    }

    // MARK: Settings

    @Test func `settings that a transport does not honour fail each call, and are named`() async throws {
        let client = Client("http://host.example", transport: Unaware()) {
            $0.connection.proxy = .none
            $0.connection.tls.identity = .pem(certificate: "", key: "")
            $0.connection.allowedAddresses = .publicOnly
        }
        for _ in 0..<2 {
            let error = await callError { _ = try await client.get("x") }
            #expect(error?.kind == .unsupported)
            #expect(
                error?.reason
                    == "the transport Unaware does not honour connection.allowedAddresses, connection.tls.identity")
            #expect(error?.advice == "leave these settings at the default, or use another transport")
        }
        let plain = client.with { $0.connection = ConnectionSettings() }.with { $0.connection.proxy = .none }
        #expect(try await plain.get("x").statusCode == 200)
    }

    @Test func `a transport says which settings it honours`() async throws {
        let transport = Performed(honoured: [.connections]) { _, _ in Response(status: .ok) }
        let client = Client("http://host.example", transport: transport) {
            $0.connection.proxy = .none
            $0.connection.connections = 3
        }
        #expect(try await client.get("x").statusCode == 200)
        let error = await callError { _ = try await client.with { $0.connection.interface = "lo" }.get("x") }
        #expect(error?.reason == "the transport performed does not honour connection.interface")
        #expect(error?.advice == "leave this setting at the default, or use another transport")
    }

    @Test func `an engine with settings of its own is not given to a client with others`() async throws {
        let client = Client("http://127.0.0.1:1", transport: Engine()) { $0.connection.interface = "lo" }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .unsupported)
        var own = ConnectionSettings()
        own.interface = "lo"
        own.proxy = .none
        own.connections = 3
        let port = try DeadPort()
        let same = Client(port.url, transport: Engine(settings: own)) { $0.connection.interface = "lo" }
        #expect(await callError { _ = try await same.get("x") }?.kind == .connectionFailed)
    }

    @Test func `an invalid setting fails the calls of every transport`() async throws {
        let client = client({ $0.connection.connections = 0 }) { _, _ in Response(status: .ok) }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .invalidRequest)
    }

    // MARK: Responses

    @Test func `a response without a connection has times and its request`() async throws {
        let client = client { _, _ in Response(status: .ok, headers: [.eTag: "x"], body: Bytes("hello")) }
        let response = try await client.get("x")
        #expect(try await response.text() == "hello")
        #expect(response.request.uri?.string == "http://host.example/x")
        #expect(response.timings.head != nil && response.timings.total != nil)
        #expect(response.connection == nil && response.version == nil)
    }

    @Test(arguments: [100, 103, 199, 0])
    func `a status that is none of a final response is refused`(status: Int) async throws {
        let client = client { _, _ in Response(status: .init(code: status)) }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .invalidResponse)
    }

    @Test func `the client's own secrets are withheld in what the transport returns`() async throws {
        let client = client({ $0.secrets.insert("x-swallow") }) { _, _ in
            Response(status: .ok, headers: [HTTPField.Name("X-Swallow-Id") ?? .eTag: "geheim"])
        }
        let response = try await client.get("x")
        #expect(response.headers["X-Swallow-Id"] == "geheim")
        #expect(!"\(response)".contains("geheim") && !"\(response.headers)".contains("geheim"))
    }

    @Test func `a body comes from a sequence, and its error is the call's`() async throws {
        struct Broken: Error {}
        let client = client { request, _ in
            let stream = AsyncThrowingStream<Bytes, any Error> { continuation in
                continuation.yield(Bytes("ab"))
                continuation.yield(Bytes())
                continuation.yield(Bytes("c"))
                continuation.finish(throwing: request.uri?.path == "/broken" ? Broken() : nil)
            }
            return Response(status: .ok, body: ResponseBody(pieces: stream))
        }
        #expect(try await client.get("x").text() == "abc")
        let error = await callError { _ = try await client.get("broken") }
        #expect(error?.kind == .incompleteResponse)
        #expect(error?.underlying is Broken)
    }

    @Test func `a sequence that ignores cancellation does not hold up its reader`() async throws {
        let gate = Gate()
        let client = client({ $0.timeouts.idle = .milliseconds(50) }) { _, _ in
            let stuck = AsyncThrowingStream<Bytes, any Error> {
                await withCheckedContinuation { continuation in
                    Task.detached {
                        try? await gate.wait()
                        continuation.resume()
                    }
                }
                return nil
            }
            return Response(status: .ok, body: ResponseBody(pieces: stuck))
        }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.timeout == .idle)
        gate.open()
        try await LeakCheck.verify(client)
    }

    @Test func `a sequence waits for its reader`() async throws {
        let made = Atomic(0)
        let client = client { _, _ in
            let endless = AsyncStream<Bytes> {
                made.add(1, ordering: .relaxed)
                return Bytes([UInt8](repeating: 1, count: 16 << 10))
            }
            return Response(status: .ok, body: ResponseBody(pieces: endless))
        }
        try await client.stream("x") { response in
            var read = 0
            for try await _ in response.body {
                read += 1
                // Of 16 KiB each: at most 256 KiB lie in the window, and one piece is on its way.
                #expect(made.load(ordering: .relaxed) <= read + 18)
                if read == 200 { break }
            }
        }
    }

    @Test func `a writer that is given up leaves an incomplete body`() async throws {
        let client = client { _, _ in
            let (body, writer) = ResponseBody.makeStream(onPause: {}, onResume: {}, onCancel: {})
            writer.write(Bytes("part"))
            return Response(status: .ok, body: body)
        }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .incompleteResponse)
        #expect(error?.reason == "the transport stopped before the end of the body")
    }

    @Test func `a writer is told to pause, to resume, and of a reader that gives up`() async throws {
        let told = Mutex<[String]>([])
        let (resumed, cancelled) = (Gate(), Gate())
        let writers = Mutex<ResponseBodyWriter?>(nil)
        let client = client { _, _ in
            let (body, writer) = ResponseBody.makeStream(
                onPause: { told.withLock { $0.append("pause") } },
                onResume: {
                    told.withLock { $0.append("resume") }
                    resumed.open()
                },
                onCancel: {
                    told.withLock { $0.append("cancel") }
                    cancelled.open()
                })
            let piece = Bytes([UInt8](repeating: 1, count: 1_000))
            for _ in 0..<10 { writer.write(piece) }
            #expect(told.withLock { $0.isEmpty })
            for _ in 0..<3 { writer.write(piece) }
            #expect(told.withLock { $0 } == ["pause"])
            writers.withLock { $0 = writer }
            return Response(status: .ok, body: body)
        }
        try await client.stream("x") { response in
            var iterator = response.body.makeAsyncIterator()
            for _ in 0..<8 { #expect(try await iterator.next()?.count == 1_000) }
            try await resumed.wait()
            #expect(!cancelled.isOpen)
        }
        try await cancelled.wait()
        // Too late, and without effect.
        writers.withLock { writer in
            for _ in 0..<100 { writer?.write(Bytes([UInt8](repeating: 1, count: 10_000))) }
            writer?.finish()
            writer = nil
        }
        #expect(told.withLock { $0 } == ["pause", "resume", "cancel"])
    }

    @Test func `pausing and resuming alternate, however fast the reader is`() async throws {
        let told = Mutex<[Bool]>([])
        let pieces = 3_000
        let client = client { _, _ in
            let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
            let isPaused = Atomic(false)
            let (body, writer) = ResponseBody.makeStream(
                onPause: {
                    told.withLock { $0.append(true) }
                    isPaused.store(true, ordering: .sequentiallyConsistent)
                },
                onResume: {
                    told.withLock { $0.append(false) }
                    isPaused.store(false, ordering: .sequentiallyConsistent)
                    gate.withLock { $0.take() }?.resume()
                }, onCancel: {})
            Task {
                for _ in 0..<pieces {
                    writer.write(Bytes([UInt8](repeating: 1, count: 50_000)))
                    await withCheckedContinuation { continuation in
                        gate.withLock { $0 = continuation }
                        if !isPaused.load(ordering: .sequentiallyConsistent) { gate.withLock { $0.take() }?.resume() }
                    }
                }
                writer.finish()
            }
            return Response(status: .ok, body: body)
        }
        let count = try await client.stream("x") { response in
            var count = 0
            for try await piece in response.body { count += piece.count }
            return count
        }
        #expect(count == pieces * 50_000)
        let steps = told.withLock { $0 }
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 != $1 } && steps.first != false)
    }

    @Test func `trailers are there once the body has ended`() async throws {
        let client = client { _, _ in
            let trailers = ResponseTrailers()
            let (body, writer) = ResponseBody.makeStream(onPause: {}, onResume: {}, onCancel: {})
            writer.write(Bytes("x"))
            trailers.set([.eTag: "t"])
            writer.finish()
            return Response(status: .ok, body: body, trailers: trailers)
        }
        #expect(try await client.get("x").trailers == [.eTag: "t"])
    }

    // MARK: Events

    @Test func `events are reported in order, and those of the client only by the client`() async throws {
        let seen = Mutex<[String]>([])
        let client = client { request, exchange throws(CallError) in
            exchange.report(.queued(why: ""))
            exchange.report(.connected(ConnectionInfo(remoteAddress: "a:1", version: .http2)))
            // The client's own.
            exchange.report(.cancelled)
            exchange.report(.started(request))
            exchange.report(.receiving(TransferProgress(bytes: 7, total: nil)))
            return Response(status: .ok, body: Bytes("body"))
        }
        let subscription = client.observe(bodies: 2) { event in
            let word =
                switch event.kind {
                case .started: "started"
                case .queued: "queued"
                case .connected: "connected"
                case .sent: "sent"
                case .headReceived: "head"
                case .receiving(let progress): "\(progress.bytes)"
                case .responseBody(let bytes, _): String(decoding: bytes, as: UTF8.self)
                case .finished: "finished"
                default: "other"
                }
            seen.withLock { $0.append(word) }
        }
        let response = try await client.get("x")
        subscription.cancel()
        #expect(seen.withLock { $0 } == ["started", "queued", "connected", "sent", "head", "4", "bo", "finished"])
        #expect(response.version == .http2 && response.connection?.remoteAddress == "a:1")
        #expect(response.timings.connected != nil)
    }

    @Test func `a deadline names the phase that the transport has reported`() async throws {
        let client = client({ $0.timeouts.connect = .milliseconds(30) }) { request, exchange throws(CallError) in
            exchange.report(.connecting(address: "a:1"))
            try? await Gate().wait()
            throw CallError(.cancelled, "woken")
        }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.timeout == .connect && error?.phase == .connecting)
        #expect(error?.reason == "no connection within 0.03 s")
    }

    @Test func `a transport sees the deadline, the limits and the end of its task`() async throws {
        let ended = Gate()
        let client = client({ $0.timeouts.total = .milliseconds(1_500) }) { _, exchange throws(CallError) in
            #expect(exchange.timeLeft.map { $0 <= .milliseconds(1_500) } == true)
            #expect(exchange.limits.headFields == 1_000)
            do { try await Gate().wait() } catch { ended.open() }
            throw CallError(.cancelled, "woken")
        }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.timeout == .total)
        try await ended.wait()
    }

    @Test func `cancelling reaches a transport after the engine beneath it has answered`() async throws {
        let (answered, engine) = (Gate(), Engine())
        try await ScriptedServer.start { _ in .ok("answer") }.use { server in
            let client = client { request, exchange throws(CallError) in
                let response = try await engine.send(request, exchange: exchange)
                answered.open()
                try? await Gate().wait()
                return response
            }
            let ended = AsyncStream<Result<Response, CallError>>.makeStream()
            let call = client.start(Request(.get, url: server.url), on: .queue(.global())) {
                ended.continuation.yield($0)
            }
            try await answered.wait()
            call.cancel()
            for await result in ended.stream {
                #expect(throws: CallError.self) { try result.get() }
                break
            }
            await client.close()
        }
        await engine.close()
    }

    @Test func `the head of a request is reported before its body`() async throws {
        let seen = Mutex<[String]>([])
        let client = client { _, exchange throws(CallError) in
            if let body = try await exchange.openBody() { while try await body.next() != nil {} }
            return Response(status: .ok)
        }
        let subscription = client.observe { event in
            switch event.kind {
            case .sent: seen.withLock { $0.append("sent") }
            case .sending(let progress): seen.withLock { $0.append("\(progress.bytes)") }
            default: break
            }
        }
        let response = try await client.post("x", body: .text("abc"))
        subscription.cancel()
        #expect(seen.withLock { $0.first } == "sent" && seen.withLock { $0.last } == "3")
        #expect(response.timings.sent != nil)
    }

    @Test func `a transport may answer by itself when the engine beneath it has failed`() async throws {
        let port = try DeadPort()
        let client = Client(
            port.url,
            transport: Performed { request, exchange throws(CallError) in
                do throws(CallError) {
                    return try await Engine().send(request, exchange: exchange)
                } catch {
                    if request.uri?.path == "/hang" { try? await Gate().wait() }
                    return Response(status: .ok, body: Bytes("instead"))
                }
            }
        ) {
            $0.connection.proxy = .none
        }
        #expect(try await client.get("x").text() == "instead")
        var hanging = Request(.get, "hang")
        hanging.timeouts.total = .milliseconds(400)
        let error = await callError { [hanging] in _ = try await client.send(hanging) }
        #expect(error?.timeout == .total)
    }

    @Test func `a cancelled call does not reach a transport later`() async throws {
        let (began, gate) = (Gate(), Gate())
        let client = client { _, _ in
            began.open()
            try? await gate.wait()
            return Response(status: .ok)
        }
        let call = Task { _ = try await client.get("x") }
        try await began.wait()
        call.cancel()
        let error = await callError { try await call.value }
        #expect(error?.kind == .cancelled && error?.phase == .waitingForHead)
    }

    // MARK: Bodies of requests

    @Test func `long pieces are read in parts, and a body ends with its exchange`() async throws {
        let ended = Mutex<CallError?>(nil)
        let done = Gate()
        let client = client({ $0.timeouts.total = .milliseconds(500) }) { _, exchange throws(CallError) in
            guard let body = try await exchange.openBody() else { return Response(status: .ok) }
            do throws(CallError) {
                #expect(try await body.next()?.count == 65_536)
                try? await Gate().wait()
                _ = try await body.next()
            } catch {
                ended.withLock { $0 = error }
            }
            done.open()
            throw CallError(.cancelled, "woken")
        }
        let long = Bytes([UInt8](repeating: 1, count: 1 << 20))
        let body = RequestBody.stream { AsyncStream<Bytes> { $0.yield(long) } }
        let error = await callError { _ = try await client.post("x", body: body) }
        #expect(error?.timeout == .total)
        try await done.wait()
        #expect(ended.withLock { $0?.timeout } == .total)
    }

    @Test func `a body can be opened again, and says its length`() async throws {
        let client = client { request, exchange throws(CallError) in
            var texts: [String] = []
            for _ in 0..<2 {
                guard let body = try await exchange.openBody() else { break }
                var bytes: [UInt8] = []
                while let piece = try await body.next() { bytes += piece }
                let trailers = try body.trailers().map { $0.map(\.value) } ?? []
                texts.append("\(body.length ?? -1) \(String(decoding: bytes, as: UTF8.self)) \(trailers)")
            }
            return Response(status: .ok, body: Bytes(texts.joined(separator: ";")))
        }
        #expect(try await client.post("x", body: .text("abc")).text() == "3 abc [];3 abc []")
        #expect(try await client.get("x").text() == "")
        let signed = RequestBody.text("abc").with(trailers: { [.eTag: "t"] })
        #expect(try await client.post("x", body: signed).text() == "-1 abc [\"t\"];-1 abc [\"t\"]")
        let wrong = RequestBody.text("abc").with(trailers: { [.contentLength: "3"] })
        let error = await callError { _ = try await client.post("x", body: wrong) }
        #expect(error?.kind == .requestBody)
    }
}
