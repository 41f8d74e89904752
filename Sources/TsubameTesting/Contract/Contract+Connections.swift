// The contract of connections and of their settings.
#if TestServer

import HTTPTypes
import Synchronization
import Tsubame

extension TransportContract {
    static let connections: [TransportContract] = [
        TransportContract("calls one after the other use one connection", needs: [.reuse]) { run in
            try await run.serving(try await .start { .ok($0.target) }) { server, client in
                for number in 0..<5 { _ = try await client.get("\(number)").text() }
                try run.expect(server.acceptedConnections, is: 1, "the number of connections")
            }
        },
        TransportContract("a connection that the server closes is not used again", needs: [.reuse]) { run in
            let server = try await ScriptedServer.start { _ in .ok("x", headers: [.connection: "close"]).then(.close) }
            try await run.serving(server) { server, client in
                for _ in 0..<3 { try run.expect(try await client.get("x").text(), is: "x", "the response") }
                try run.expect(server.acceptedConnections, is: 3, "the number of connections")
            }
        },
        TransportContract("the response and the events name the connection", needs: [.connections]) { run in
            try await run.serving(try await .start()) { server, client in
                let seen = Mutex<[String]>([])
                let subscription = client.observe { event in
                    switch event.kind {
                    case .connected(let info): seen.withLock { $0.append("connected \(info.remoteAddress)") }
                    case .sent: seen.withLock { $0.append("sent") }
                    case .headReceived: seen.withLock { $0.append("head") }
                    case .finished: seen.withLock { $0.append("finished") }
                    default: break
                    }
                }
                let response = try await client.get("x")
                subscription.cancel()
                let address = "127.0.0.1:\(server.port)"
                try run.expect(response.connection?.remoteAddress, is: address, "the address of the connection")
                try run.expect(
                    seen.withLock { $0 }, is: ["connected \(address)", "sent", "head", "finished"], "the events")
            }
        },
    ]

    /// A transport honours each of these settings, or says that it does not. In both cases the call fails.
    static let settings: [TransportContract] = [
        TransportContract("an address that is not allowed is never connected to") { run in
            try await run.refuses { $0.connection.allowedAddresses = .publicOnly }
        },
        TransportContract("a resolver of the caller's own is asked") { run in
            try await run.honours(host: "swallow.invalid") {
                $0.connection.resolver = .custom { _ in NameResolver.Answer(["127.0.0.1"]) }
            }
        },
        TransportContract("a proxy that refuses is not avoided") { run in
            let port = try DeadPort()
            try await run.refuses { $0.connection.proxy = .url(port.url) }
            withExtendedLifetime(port) {}
        },
        TransportContract("a Unix socket that does not exist is not replaced by TCP") { run in
            try await run.refuses { $0.connection.unixSocket = "/nowhere/at/all.sock" }
        },
        TransportContract("an address that replaces the look-up is used") { run in
            let port = try DeadPort()
            try await run.refuses { $0.connection.resolve = ["*": "127.0.0.1:\(port.number)"] }
            withExtendedLifetime(port) {}
        },
        TransportContract("a certificate that is not trusted is refused") { run in
            try await run.refuses(tls: .localhost) { _ in }
            try await run.refuses(tls: .localhost) { $0.connection.tls.roots = .pem(TestCertificates.selfSignedPEM) }
        },
        TransportContract("a certificate below a root that the caller trusts is accepted") { run in
            try await run.honours(tls: .localhost) { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }
        },
        TransportContract("an address of the other family, or of no interface, is not used") { run in
            try await run.refuses { $0.connection.addressFamily = .ipv6 }
            // An address for documentation (RFC 5737), which no machine has.
            try await run.refuses { $0.connection.interface = "192.0.2.1" }
        },
        TransportContract("a pin is checked, also without verification") { run in
            let wrong = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            try await run.refuses(tls: .localhost) {
                $0.connection.tls.verification = .dangerouslyOff
                $0.connection.tls.pins = ["127.0.0.1": PinnedKeys(wrong, backup: wrong)]
            }
        },
        TransportContract("the caller's check of a certificate runs") { run in
            try await run.refuses(tls: .localhost) {
                $0.connection.tls.verification = .dangerouslyOff
                $0.connection.tls.check = TLSCheck { _, _ in throw CancellationError() }
            }
        },
        TransportContract("a client certificate is presented") { run in
            try await run.honours(tls: TLSIdentity.localhost.with(clientAuthorityPEM: ClientCertificate.pem)) {
                $0.connection.tls.verification = .dangerouslyOff
                $0.connection.tls.identity = .pem(
                    certificate: ClientCertificate.pem, key: ClientCertificate.keyPEM)
            }
        },
        TransportContract("the limit of connections holds, and the wait for one has its deadline") { run in
            try await run.serving(
                try await .start { _ in .stall },
                {
                    $0.connection.connections = 1
                    $0.timeouts.pool = .milliseconds(150)
                }
            ) { server, client in
                try await withThrowingTaskGroup(of: CallError.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            try await run.failure(.timeout, .unsupported, .cancelled) { _ = try await client.get("x") }
                        }
                    }
                    guard let error = try await group.next() else { return }
                    try run.expect(
                        error.kind == .unsupported || error.timeout == .pool, "the error is \(error.reason)")
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        },
        TransportContract("the deadline of a TLS handshake holds", unless: .connectionSteps) { run in
            let server = try await ScriptedServer.start(onConnect: { _ in .stall })
            try await server.use { server in
                let client = run.client("https://127.0.0.1:\(server.port)") { $0.timeouts.tls = .milliseconds(150) }
                let error = try await run.failure(.timeout, .unsupported) { _ = try await client.get("x") }
                try run.expect(error.kind == .unsupported || error.timeout == .tls, "the error is \(error.reason)")
                await client.close()
            }
        },
        TransportContract("a version of TLS that is too old is refused") { run in
            try await run.refuses(tls: TLSIdentity.localhost.with(versions: .tls12 ... .tls12)) {
                $0.connection.tls.verification = .dangerouslyOff
                $0.connection.tls.minimumVersion = .tls13
            }
        },
        TransportContract("a version of TLS that is too new is refused") { run in
            try await run.refuses(tls: TLSIdentity.localhost.with(versions: .tls13 ... .tls13)) {
                $0.connection.tls.verification = .dangerouslyOff
                $0.connection.tls.maximumVersion = .tls12
            }
        },
        TransportContract("a handshake that fails is an error of TLS, while securing the connection") { run in
            let server = try await ScriptedServer.start(tls: .localhost)
            try await server.use { server in
                let client = run.client("https://127.0.0.1:\(server.port)")
                let error = try await run.failure(.tls, .unsupported) { _ = try await client.get("x") }
                if error.kind == .tls { try run.expect(error.phase, is: .securing, "the phase of the error") }
                await client.close()
            }
        },
    ]
}

extension ContractRun {
    /// A call with these settings must succeed, unless the transport refuses the settings.
    fileprivate func honours(
        host: String = "127.0.0.1", tls: TLSIdentity? = nil, _ configure: (inout Configuration) -> Void
    ) async throws {
        let (error, requests) = try await outcome(host, tls, configure)
        guard let error else { return }
        try expect(error.kind == .unsupported, "the call failed with \(error.kind.rawValue): \(error.reason)")
        try expect(requests, is: 0, "the number of requests")
    }

    /// A call with these settings must fail before a request reaches the server.
    fileprivate func refuses(tls: TLSIdentity? = nil, _ configure: (inout Configuration) -> Void) async throws {
        let (error, requests) = try await outcome("127.0.0.1", tls, configure)
        try expect(error != nil, "the call did not fail")
        try expect(requests, is: 0, "the number of requests")
    }

    /// The error of one call, and how many requests reached the server.
    private func outcome(
        _ host: String, _ tls: TLSIdentity?, _ configure: (inout Configuration) -> Void
    ) async throws -> (error: CallError?, requests: Int) {
        try await ScriptedServer.start(tls: tls).use { server in
            let client = client("\(tls == nil ? "http" : "https")://\(host):\(server.port)", configure)
            do throws(CallError) {
                _ = try await client.get("x")
                await client.close()
                return (nil, server.requests.count)
            } catch {
                await client.close()
                return (error, server.requests.count)
            }
        }
    }
}
#endif
