// CancellationTests: a call can be cancelled at every point of its way.

import Dispatch
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

/// A point on the way of a call, named after the event that reports it.
enum Point: String, Sendable, CaseIterable {
    case started, queued, resolving, resolved, connecting, connected, securing, secured, sent, sending, headReceived,
        receiving, resending, reused

    /// Runs `body` with a server at which a call stays after it has passed the point.
    func run(_ body: (_ client: Client, _ request: Request) async throws -> Void) async throws {
        switch self {
        case .started, .queued, .resolving, .resolved, .connecting:
            let address = try FullBacklog()
            defer { withExtendedLifetime(address) {} }
            try await withClient { try await body($0, Request(.get, url: "http://127.0.0.1:\(address.port)/")) }
        case .securing:
            let server = try await ScriptedServer.start(onConnect: { _ in [.stopReading, .stall] })
            try await serving(server) { server, client in
                try await body(client, Request(.get, url: "https://127.0.0.1:\(server.port)/"))
            }
        case .secured:
            let server = try await ScriptedServer.start(tls: .localhost) { _ in .stall }
            try await serving(server, { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }) {
                server, client in
                try await body(client, Request(.get, url: server.localhostURL))
            }
        case .sending:
            // The end of the connection lies after the unread bytes.
            let end = Gate()
            let server = try await ScriptedServer.start(onHead: { _ in
                [.stopReading, .wait(for: end), .resumeReading, .stall]
            })
            try await serving(server) { server, client in
                defer { end.open() }
                try await body(client, Request(.post, url: server.url, body: .endless()))
            }
        case .reused:
            let server = try await ScriptedServer.start { $0.index == 0 ? .ok() : .stall }
            try await serving(server) { server, client in
                _ = try await client.get(url: server.url)
                try await body(client, Request(.get, url: server.url))
            }
        case .connected, .sent, .headReceived, .receiving, .resending:
            let reply: Reply =
                self == .connected || self == .sent
                ? .stall : [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel"), .stall]
            let isRedirected = self == .resending
            let server = try await ScriptedServer.start { request in
                isRedirected && request.index == 0 ? .redirect(to: "/next") : isRedirected ? .stall : reply
            }
            try await serving(server) { server, client in
                try await body(client, Request(.post, url: server.url, body: .text("hello")))
            }
        }
    }
}

/// Runs its action once the action is both due and known.
final class Trigger: Sendable {
    private let state = Mutex<(isPulled: Bool, action: (@Sendable () -> Void)?)>((false, nil))

    func pull() {
        let action = state.withLock { state in
            state.isPulled = true
            defer { state.action = nil }
            return state.action
        }
        action?()
    }

    func does(_ action: @escaping @Sendable () -> Void) {
        let isPulled = state.withLock { state in
            if !state.isPulled { state.action = action }
            return state.isPulled
        }
        if isPulled { action() }
    }
}

struct CancellationCase: Sendable, CustomTestStringConvertible {
    enum Means: String, Sendable, CaseIterable { case call, task }

    let point: Point
    let means: Means
    /// Whether the cancellation comes from within the event's observer, or later from another place.
    let isInside: Bool

    var testDescription: String {
        "\(point.rawValue), by its \(means.rawValue), \(isInside ? "from the observer" : "later")"
    }

    static let all: [CancellationCase] = Point.allCases.flatMap { point in
        Means.allCases.flatMap { means in
            [true, false].map { CancellationCase(point: point, means: means, isInside: $0) }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct CancellationTests {
    @Test(arguments: CancellationCase.all)
    func `cancelling ends a call at once at every point, frees its connection, and is told once`(
        _ row: CancellationCase
    ) async throws {
        try await row.point.run { client, request in
            let log = EventLog()
            let observation = log.observe(client)
            let trigger = Trigger()
            let reached = Gate()
            log.atFirst(row.point.rawValue) {
                if row.isInside { trigger.pull() }
                reached.open()
            }
            let start = ContinuousClock.now
            async let ending = end(of: request, by: row.means, of: client, trigger)
            try await reached.wait()
            if !row.isInside { trigger.pull() }
            let error = try await ending
            #expect(error.kind == .cancelled, "\(error)")
            #expect(ContinuousClock.now - start < .seconds(9))
            try await LeakCheck.verify(client)
            #expect(log.finals == ["cancelled"])
            #expect(log.names.last == "cancelled")
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: [Point.connected, .sent, .reused])
    func `a request whose call an observer cancels does not go out`(_ point: Point) async throws {
        let server = try await ScriptedServer.start()
        try await serving(server) { server, client in
            if point == .reused { _ = try await client.get(url: server.url) }
            let before = server.requests.count
            let log = EventLog()
            let observation = log.observe(client)
            let known = DispatchSemaphore(value: 0)
            let call = Mutex<Call?>(nil)
            log.atFirst(point.rawValue) {
                known.wait()
                call.withLock { $0 }?.cancel()
            }
            let error = try await failure {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Response, any Error>) in
                    let request = Request(.post, url: server.url, body: .text("hello"))
                    let started = client.start(request, on: .queue(.global())) { continuation.resume(with: $0) }
                    call.withLock { $0 = started }
                    known.signal()
                }
            }
            #expect(error.kind == .cancelled, "\(error)")
            try await LeakCheck.verify(client)
            #expect(server.requests.count == before)
            withExtendedLifetime(observation) {}
        }
    }

    /// Runs `body` while an observer of another call holds the event loop of the server's origin.
    private func holdingLoop(of server: ScriptedServer, _ body: () async throws -> Void) async throws {
        try await withClient(server.url) { client in
            let log = EventLog()
            let observation = log.observe(client)
            let (isHeld, release, releases) = (Gate(), DispatchSemaphore(value: 0), Log<Bool>())
            log.atFirst("sent") {
                isHeld.open()
                releases.add(release.wait(timeout: .now() + 30) == .success)
            }
            let call = Task { try await client.get("hold") }
            try await isHeld.wait()
            try await body()
            #expect(releases.all.isEmpty)
            release.signal()
            call.cancel()
            _ = await call.result
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: [false, true])
    func `a call is cancelled at once although its loop is busy`(_ isInBody: Bool) async throws {
        let server = try await ScriptedServer.start { request in
            let beginning: Reply = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel"), .stall]
            return isInBody && request.target == "/" ? beginning : .stall
        }
        try await serving(server) { server, client in
            let hasBegun = Gate()
            let call = Task { () async throws -> Int in
                if !isInBody { return try await client.get("/").bytes.count }
                return try await client.stream(url: server.url) { response in
                    var count = 0
                    for try await piece in response.body {
                        count += piece.count
                        hasBegun.open()
                    }
                    return count
                }
            }
            _ = try await server.request(0)
            if isInBody { try await hasBegun.wait() }
            try await holdingLoop(of: server) {
                call.cancel()
                let error = try await failure { try await call.value }
                #expect(error.kind == .cancelled, "\(error)")
            }
        }
    }

    private func end(
        of request: Request, by means: CancellationCase.Means, of client: Client, _ trigger: Trigger
    ) async throws -> CallError {
        switch means {
        case .task:
            let task = Task { try await client.send(request) }
            trigger.does { task.cancel() }
            return try await failure { try await task.value }
        case .call:
            return try await failure {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Response, any Error>) in
                    let call = client.start(request, on: .queue(.global())) { continuation.resume(with: $0) }
                    trigger.does { call.cancel() }
                }
            }
        }
    }

    @Test func `a task that is cancelled before it sends sends nothing`() async throws {
        try await serving(try await ScriptedServer.start()) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.get(url: server.url)
            }
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled)
            #expect(server.acceptedConnections == 0)
            #expect(log.finals == ["cancelled"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: [true, false])
    func `a call that waits for a connection can be cancelled, and the one that has it goes on`(
        byTask: Bool
    ) async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in Reply.ok("done").after(gate) }
        try await serving(server, { $0.connection.connectionsPerOrigin = 1 }) { server, client in
            let occupant = Task { try await client.get(url: server.url).bytes }
            try await gate.waitForArrivals(1)
            let log = EventLog()
            let observation = log.observe(client)
            let queued = log.gate(atFirst: "queued")
            let trigger = Trigger()
            async let ending = end(
                of: Request(.get, url: server.url), by: byTask ? .task : .call, of: client, trigger)
            try await queued.wait()
            trigger.pull()
            let error = try await ending
            #expect(error.kind == .cancelled)
            #expect(error.phase == .waiting)
            #expect(await client.statistics().waiting == 0)
            gate.open()
            #expect(try await occupant.value == Bytes("done"))
            #expect(try await client.get(url: server.url).status == .ok)
            #expect(server.acceptedConnections == 1)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a task cancelled while it pulls a body gets cancelled, not what had been received`() async throws {
        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel"), .stall]
        }
        try await serving(server) { server, client in
            let received = Gate()
            let task = Task {
                try await client.stream(Request(.get, url: server.url)) { response in
                    for try await _ in response.body { received.open() }
                }
            }
            try await received.wait()
            task.cancel()
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled)
            #expect(error.phase == .receivingBody)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `a blocking call ends when its client is closed`() async throws {
        try await serving(try await ScriptedServer.start { _ in .stall }) { server, client in
            async let ending = failure { try await Way.blocking.send(Request(.get, url: server.url), by: client) }
            _ = try await server.head(0)
            await client.close()
            #expect(try await ending.kind == .cancelled)
        }
    }

    @Test func `cancelling a call that has ended does nothing`() async throws {
        try await serving(try await ScriptedServer.start { _ in .ok("whole") }) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            let ended = Gate()
            let call = client.start(Request(.get, url: server.url), on: .queue(.global())) { _ in ended.open() }
            try await ended.wait()
            call.cancel()
            #expect(!call.isCancelled)
            #expect(log.finals == ["finished"])
            #expect(try await client.get(url: server.url).connection?.isReused == true)
            withExtendedLifetime(observation) {}
        }
    }
}
