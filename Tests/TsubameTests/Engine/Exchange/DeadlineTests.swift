// DeadlineTests: every deadline, on every method, below one second, with every way to wait.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

/// A place at which a call stalls, with the deadlines that end the stall and the phase of the error.
enum Stall: String, Sendable, CaseIterable {
    case connect, handshake, pool, head, restOfHead, body, chunkedBody, upload

    var limits: [Timeouts.Name] {
        switch self {
        case .connect: [.connect, .total]
        case .handshake: [.tls, .total]
        case .pool: [.pool, .total]
        case .head, .restOfHead: [.head, .total]
        case .body, .chunkedBody, .upload: [.idle, .total]
        }
    }

    var methods: [HTTPRequest.Method] { self == .upload ? [.post] : [.get, .post] }

    var phase: CallError.Phase {
        switch self {
        case .connect: .connecting
        case .handshake: .securing
        case .pool: .waiting
        case .head, .restOfHead: .waitingForHead
        case .body, .chunkedBody: .receivingBody
        case .upload: .sendingBody
        }
    }

    private var reply: Reply {
        switch self {
        case .restOfHead: [.bytes("HTTP/1.1 200 OK\r\nContent-Type: te"), .stall]
        case .body: [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel"), .stall]
        case .chunkedBody: [.bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), .stall]
        default: .stall
        }
    }

    /// Runs `body` with a client and a URL whose call will stall.
    func run(_ body: (_ client: Client, _ url: String) async throws -> Void) async throws {
        if self == .connect {
            let address = try FullBacklog()
            defer { withExtendedLifetime(address) {} }
            return try await withClient { try await body($0, "http://127.0.0.1:\(address.port)/") }
        }
        let (isHandshake, isPool, isUpload, reply) = (self == .handshake, self == .pool, self == .upload, reply)
        // The end of the connection lies after the unread bytes.
        let end = Gate()
        defer { end.open() }
        let server = try await ScriptedServer.start(
            { _ in reply },
            onHead: { _ in isUpload ? [.stopReading, .wait(for: end), .resumeReading, .stall] : nil },
            onConnect: { _ in isHandshake ? [.stopReading, .stall] : nil })
        try await serving(
            server,
            {
                $0.connection.connectionsPerOrigin = isPool ? 1 : 8
                $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
            }
        ) { server, client in
            defer { end.open() }
            guard isPool else {
                return try await body(client, isHandshake ? "https://127.0.0.1:\(server.port)/" : server.url)
            }
            let occupant = Task { try await client.get(url: server.url) }
            _ = try await server.head(0)
            try await body(client, server.url)
            occupant.cancel()
            _ = await occupant.result
        }
    }
}

struct DeadlineCase: Sendable, CustomTestStringConvertible {
    let limit: Timeouts.Name
    let stall: Stall
    let method: HTTPRequest.Method
    let way: Way

    var testDescription: String { "\(way.rawValue) \(method.rawValue): \(limit.rawValue) ends \(stall.rawValue)" }

    static let all: [DeadlineCase] = Way.allCases.flatMap { way in
        Stall.allCases.flatMap { stall in
            stall.limits.flatMap { limit in
                stall.methods.map { DeadlineCase(limit: limit, stall: stall, method: $0, way: way) }
            }
        }
    }
}

extension Timeouts {
    /// All other deadlines are far away.
    static func only(_ name: Name, _ time: Duration) -> Timeouts {
        var timeouts = Timeouts()
        let far = Duration.seconds(60)
        (timeouts.connect, timeouts.tls, timeouts.pool) = (far, far, far)
        (timeouts.head, timeouts.idle, timeouts.total) = (far, far, far)
        switch name {
        case .connect: timeouts.connect = time
        case .tls: timeouts.tls = time
        case .pool: timeouts.pool = time
        case .head: timeouts.head = time
        case .idle: timeouts.idle = time
        case .total: timeouts.total = time
        }
        return timeouts
    }
}

@Suite(.timeLimit(.minutes(2))) struct DeadlineTests {
    private static let time = Duration.milliseconds(150)
    /// Only the deadline under test can fire this early.
    private static let soon = Duration.seconds(45)

    @Test(arguments: DeadlineCase.all)
    func `a deadline ends what stalls, by its name, in its phase, and not before its time`(
        _ row: DeadlineCase
    ) async throws {
        try await row.stall.run { client, url in
            var request = Request(row.method, url: url)
            if row.stall == .upload {
                request.body = .endless()
            } else if row.method == .post {
                request.body = .text("hello")
            }
            // On a busy machine the total time may be up before the stall is reached, so a longer time follows.
            for time in [Self.time, .milliseconds(600), .seconds(3), .seconds(12)] {
                request.timeouts = .only(row.limit, time)
                let start = ContinuousClock.now
                let error = try await failure { [request] in try await row.way.send(request, by: client) }
                let elapsed = ContinuousClock.now - start
                if row.limit == .total, error.phase != row.stall.phase, time < .seconds(12) { continue }
                #expect(error.kind == .timeout, "\(error)")
                #expect(error.timeout == row.limit, "\(error)")
                #expect(error.phase == row.stall.phase, "\(error)")
                #expect(elapsed >= time - .milliseconds(1))
                #expect(elapsed < Self.soon)
                #expect("\(error)".contains("timeouts.\(row.limit.rawValue)"))
                return
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `BAD-INPUT 16: a head that drips for ever does not outlive the deadline on the whole head`(_ way: Way)
        async throws
    {
        // Forty lines, 50 ms apart: no pause lets a peer be idle for 200 ms.
        let server = try await ScriptedServer.start { _ in Self.drip("HTTP/1.1 200 OK\r\n", "X-Drip: 1\r\n") }
        try await serving(server) { server, client in
            var request = Request(.get, url: server.url)
            request.timeouts = .only(.head, .milliseconds(200))
            let error = try await failure { try await way.send(request, by: client) }
            #expect(error.timeout == .head && error.phase == .waitingForHead)
        }
    }

    @Test func `a body that drips for ever does not outlive the total time`() async throws {
        let server = try await ScriptedServer.start { _ in
            Self.drip("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "x")
        }
        try await serving(server) { server, client in
            var request = Request(.get, url: server.url)
            // Long enough that the head arrives in time on a busy machine.
            request.timeouts = .only(.total, .milliseconds(1500))
            let error = try await failure { try await client.send(request) }
            #expect(error.timeout == .total && error.phase == .receivingBody)
        }
    }

    /// Sends `piece` every 50 ms, forty times, and then stalls.
    private static func drip(_ start: String, _ piece: String) -> Reply {
        let drops = (1...40).flatMap { [Reply.Step.wait(for: .opening(after: $0 * 50)), .bytes(piece)] }
        return Reply([.bytes(start)] + drops + [.stall])
    }

    @Test(arguments: Way.allCases)
    func `the total time runs over redirects`(_ way: Way) async throws {
        // Each hop takes 60 ms and is within its limits; only the deadline ends the series.
        let server = try await ScriptedServer.start { request in
            .redirect(to: "/\(request.index + 1)").after(.opening(after: 60))
        }
        try await serving(
            server,
            {
                $0.redirects = .follow(max: .max)
                $0.limits.exchanges = .max
            }
        ) { server, client in
            var request = Request(.get, url: server.url)
            request.timeouts = .only(.total, .milliseconds(300))
            let start = ContinuousClock.now
            let error = try await failure { try await way.send(request, by: client) }
            #expect(error.timeout == .total)
            #expect(ContinuousClock.now - start >= .milliseconds(299))
        }
    }

    @Test func `while the reader pauses the server is not called idle, but the total time runs`() async throws {
        let server = try await ScriptedServer.start { _ in .stream(nil) }
        try await serving(server) { server, client in
            var request = Request(.get, url: server.url)
            request.timeouts = .only(.total, .milliseconds(1500))
            request.timeouts.idle = .milliseconds(100)
            let sent = request
            let start = ContinuousClock.now
            let error = try await failure {
                try await client.stream(sent) { response in
                    var body = response.body.makeAsyncIterator()
                    _ = try await body.next()
                    // The deadline ends the exchange even while no caller reads.
                    try await server.waitUntil(openConnections: 0)
                    while try await body.next() != nil {}
                }
            }
            #expect(error.timeout == .total && error.phase == .receivingBody)
            #expect(ContinuousClock.now - start >= .milliseconds(1499))
        }
    }

    @Test func `the total time runs while a connection is made for a call that has waited for its turn`() async throws {
        // The only connection closes. The waiting call now opens a new one, whose handshake is never answered.
        let gate = Gate()
        let server = try await ScriptedServer.start(
            tls: .localhost, { _ in [.wait(for: gate), .close] },
            onConnect: { $0 == 0 ? nil : [.stopReading, .stall] })
        try await serving(
            server, base: server.localhostURL,
            {
                $0.connection.connectionsPerOrigin = 1
                $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
            }
        ) { server, client in
            let occupant = Task { try await client.get("first") }
            _ = try await server.head(0)
            let log = EventLog()
            let observation = log.observe(client)
            let queued = log.gate(atFirst: "queued")
            var request = Request(.get, "second")
            request.timeouts = .only(.total, .milliseconds(1500))
            let sent = request
            let second = Task { try await client.send(sent) }
            try await queued.wait()
            gate.open()
            let error = try await failure { try await second.value }
            #expect(error.timeout == .total, "\(error)")
            #expect(error.phase == .securing)
            let firstError = try await failure { try await occupant.value }
            #expect(firstError.kind == .emptyReply)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a request's own deadline wins over its client's, and what it leaves open is the client's`() async throws
    {
        let server = try await ScriptedServer.start { _ in .stall }
        try await serving(server, { $0.timeouts.head = .milliseconds(150) }) { server, client in
            var request = Request(.get, url: server.url)
            request.timeouts.idle = .milliseconds(10)
            let byClient = try await failure { [request] in try await client.send(request) }
            #expect(byClient.timeout == .head)
            #expect(byClient.reason.contains("0.15 s"))
            request.timeouts.head = .milliseconds(100)
            let byRequest = try await failure { [request] in try await client.send(request) }
            #expect(byRequest.reason.contains("0.1 s"))
        }
    }
}
