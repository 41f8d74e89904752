// DocumentationSamples: the samples of Errors.md.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

private struct User: Codable, Sendable {
    let id: Int
    let name: String
}

private struct Problem: Decodable {
    let reason: String
}

extension DocumentationSamples {
    @Test func aStatus() async throws {
        let server = try await ScriptedServer.start(tls: .localhost) { _ in
            .json(#"{"reason": "no such user"}"#, status: .notFound)
        }
        let api = Client(server.url) { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }
        var told: [String] = []
        func tell(_ text: String) { told.append(text) }
        do {
            let user = try await api.get("users/8").json(User.self)
            tell("hello, \(user.name)")
        } catch {
            switch error.kind {
            case .status: tell("the server says \(error.status?.code ?? 0)")
            case .timeout: tell("too slow: \(error.timeout?.rawValue ?? "")")
            case .nameResolution, .connectionFailed: tell("is the network there?")
            case .cancelled: break
            default: tell("\(error)")
            }
        }
        #expect(told == ["the server says 404"])
        told = []
        do {
            try await api.get("users/8").accepted()
        } catch {
            tell(error.decode(Problem.self)?.reason ?? "\(error)")
        }
        #expect(told == ["no such user"])

        do {
            try await api.get("users/8").accepted()
        } catch {
            print(error)
            let address = "127.0.0.1:\(server.port)"
            let printed = """
                GET \(server.url)/users/8 failed: the server answered 404 Not Found
                  connected to \(address) (TLS 1.3, HTTP/1.1, reused)
                  the answer: {"reason": "no such user"}
                """
            #expect("\(error)" == printed)
        }

        let answer = try await api.get("users/8")
        if answer.status == .notFound { tell("nobody") }

        var request = Request(.get, "users/8")
        request.acceptedStatuses = .successful.union(404)
        let reason = try await api.send(request).text()
        #expect(reason == #"{"reason": "no such user"}"#)
        try await close(api)
        await server.stop()
    }

    @Test func deadlines() async throws {
        let server = try await ScriptedServer.start { _ in .stall }
        let api = Client(server.url) {
            $0.timeouts.connect = .seconds(3)
            $0.timeouts.idle = .seconds(10)
            $0.timeouts.total = .seconds(30)
        }
        var request = Request(.get, "slow")
        request.timeouts.head = .milliseconds(50)
        do {
            try await api.send(request).accepted()
        } catch {
            print(error.kind, error.timeout?.rawValue ?? "")  // timeout head
            #expect("\(error.kind) \(error.timeout?.rawValue ?? "")" == "timeout head")
            let address = "127.0.0.1:\(server.port)"
            let printed = """
                GET \(server.url)/slow failed while waiting for the response: no response head within 0.05 s of the request (timeouts.head)
                  connected to \(address) (HTTP/1.1)
                """
            #expect("\(error)" == printed)
        }
        try await close(api)
        await server.stop()
    }

    @Test func triedAgain() async throws {
        let server = try await ScriptedServer.start(replies: [
            .status(.serviceUnavailable), .ok("at last"), .ok("at last"),
        ])
        let api = Client(server.url) { $0.retry = .standard { $0.retries = 5 } }
        let news = try await api.get("news").text()
        #expect(news == "at last")
        let batch = api.with {
            $0.retry = .standard { $0.extraLoad = .infinity }
            $0.traffic.callsPerHost = 10
        }
        #expect(try await batch.get("news").text() == "at last")
        try await close(api)
        await server.stop()
    }

    @Test func sentAgain() async throws {
        // Each `close` ends a reused connection before a byte of a response.
        let server = try await ScriptedServer.start(replies: [
            .ok("one"), .close, .ok("two"), .close, .ok("three"), .close,
        ])
        let api = Client(server.url)
        #expect(try await api.get("orders").text() == "one")
        #expect(try await api.get("orders").text() == "two")
        var order = Request(.post, "orders", body: .json(["size": 17]))
        order.isReplayable = true
        #expect(try await api.send(order).text() == "three")
        order.isReplayable = false
        let error = await #expect(throws: CallError.self) { _ = try await api.send(order) }
        #expect(error?.kind == .emptyReply && server.requests.count == 6)
        try await close(api)
        await server.stop()
    }
}
