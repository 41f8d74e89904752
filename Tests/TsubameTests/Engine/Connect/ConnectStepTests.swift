// ConnectStepTests: the conversation with a proxy and the TLS handshake, each alone.

import NIOCore
import NIOSSL
import Testing
import Tsubame
import TsubameCore
import TsubameSockets
import TsubameTesting
import TsubameWire

@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct ConnectStepTests {
    /// Connects a channel to the server, and begins a step on it.
    private func with(
        _ server: ScriptedServer, _ begin: @escaping @Sendable (SocketChannel) throws -> any ConnectStep,
        _ body: (_ loopPool: LoopPool, _ channel: SocketChannel, _ step: Box<any ConnectStep>) async throws -> Void
    ) async throws {
        let address = TsubameSockets.SocketAddress.ipv4(address: 0x7F00_0001, port: UInt16(server.port))
        try await EngineParts.withLoopPool { loopPool in
            let loop = loopPool.loop
            let (channel, step) = try await loop.submit { () -> (SocketChannel, Box<any ConnectStep>) in
                let channel = SocketChannel(loop, try Socket(for: address)) {}
                let box = Box<any ConnectStep>()
                channel.connect(to: address) { error in
                    #expect(error == nil)
                    do { box.value = try begin(channel) } catch { Issue.record(error) }
                }
                return (channel, box)
            }.get()
            while try await loop.submit({ step.value == nil }).get() {}
            try await body(loopPool, channel, step)
            try await loop.submit { channel.end() }.get()
        }
        await server.stop()
    }

    /// Confined to the loop of its test.
    private final class Box<Value>: @unchecked Sendable { var value: Value? }

    // MARK: The conversation with a proxy

    private func socks4() throws -> SOCKS4Handshake {
        try SOCKS4Handshake(host: "name.example", address: nil, port: 80, user: "")
    }

    @Test func `the way is free when the proxy has said so, byte by byte`() async throws {
        let answer: [UInt8] = [0, 90, 0, 0, 0, 0, 0, 0]
        let server = try await ScriptedServer.start(onConnect: { _ in
            Reply(answer.map { .bytes([$0]) } + [.stall])
        })
        let (outcomes, isOver) = (Log<String>(), Gate())
        try await with(server) { channel in
            let conversation = ProxyConversation(channel, try self.socks4()) { outcome in
                outcomes.add("\(outcome)")
                isOver.open()
            }
            conversation.start()
            return conversation
        } _: { _, _, _ in
            try await isOver.wait()
            #expect(outcomes.all == ["free"])
        }
    }

    @Test(arguments: [[0, 91, 0, 0, 0, 0, 0, 0], Array("HTTP/1.1 400 Bad".utf8), [0, 90, 0, 0, 0, 0, 0, 0, 1]])
    func `a proxy that refuses, is another, or says too much fails the conversation`(_ answer: [UInt8]) async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in [.bytes(answer), .stall] })
        let (outcomes, isOver) = (Log<Bool>(), Gate())
        try await with(server) { channel in
            let conversation = ProxyConversation(channel, try self.socks4()) { outcome in
                if case .failed(let error as WireError) = outcome { outcomes.add(error.kind == .proxy) }
                isOver.open()
            }
            conversation.start()
            return conversation
        } _: { _, _, _ in
            try await isOver.wait()
            #expect(outcomes.all == [true])
        }
    }

    @Test func `a proxy that ends the connection fails the conversation, once`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in [.close] })
        let (outcomes, isOver) = (Log<String>(), Gate())
        try await with(server) { channel in
            let conversation = ProxyConversation(channel, try self.socks4()) { outcome in
                if case .failed = outcome { outcomes.add("failed") } else { outcomes.add("\(outcome)") }
                isOver.open()
            }
            conversation.start()
            return conversation
        } _: { loopPool, channel, _ in
            try await isOver.wait()
            while try await loopPool.loop.submit({ channel.socket != nil }).get() {}
            #expect(outcomes.all == ["failed"])
        }
    }

    @Test func `a conversation that is cancelled tells nothing`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in [.stall] })
        let outcomes = Log<String>()
        try await with(server) { channel in
            let conversation = ProxyConversation(channel, try self.socks4()) { outcomes.add("\($0)") }
            conversation.start()
            return conversation
        } _: { loopPool, channel, step in
            try await loopPool.loop.submit {
                step.value?.cancel()
                channel.end()
            }.get()
            #expect(outcomes.all.isEmpty)
        }
    }

    // MARK: The TLS handshake

    /// The outcome of a handshake.
    private enum Handshake: Equatable, Sendable {
        case secured(version: String?, chosen: String?, hasCertificate: Bool)
        case failed(isRefusal: Bool, hasCertificate: Bool)
    }

    private func handshakes(
        with server: ScriptedServer, trusting roots: NIOSSLTrustRoots, cancels: Bool = false
    ) async throws -> [Handshake] {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = roots
        configuration.applicationProtocols = ["h2", "http/1.1"]
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        let (outcomes, isOver) = (Log<Handshake>(), Gate())
        try await with(server) { channel in
            let handshake = try TLSHandshake(context, host: "localhost", capture: nil) { result in
                switch result {
                case .success(let tls):
                    outcomes.add(
                        .secured(
                            version: tls.info.version, chosen: tls.applicationProtocol,
                            hasCertificate: tls.certificate != nil))
                case .failure(let failure):
                    outcomes.add(
                        .failed(
                            isRefusal: CertificateRefusal.isMeant(by: failure.error),
                            hasCertificate: failure.certificate != nil))
                }
                isOver.open()
            }
            try handshake.start(on: channel)
            return handshake
        } _: { loopPool, channel, step in
            if cancels {
                try await loopPool.loop.submit {
                    step.value?.cancel()
                    channel.end()
                }.get()
            } else {
                try await isOver.wait()
                // A second outcome would come with the end.
                try await loopPool.loop.submit { channel.end() }.get()
                try await loopPool.loop.submit {}.get()
            }
        }
        return outcomes.all
    }

    private static var roots: NIOSSLTrustRoots {
        get throws {
            .certificates(try NIOSSLCertificate.fromPEMBytes(Array(TestCertificates.authorityPEM.utf8)))
        }
    }

    @Test func `a handshake tells the version and the protocol that was chosen`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost, versions: [.http2, .http11])
        let outcomes = try await handshakes(with: server, trusting: try Self.roots)
        #expect(outcomes == [.secured(version: "TLS 1.3", chosen: "h2", hasCertificate: true)])
    }

    @Test func `a handshake with an untrusted server fails once, with its certificate`() async throws {
        let server = try await ScriptedServer.start(tls: .selfSigned)
        let outcomes = try await handshakes(with: server, trusting: try Self.roots)
        #expect(outcomes == [.failed(isRefusal: true, hasCertificate: true)])
    }

    @Test func `a handshake with a server that closes fails once, without a certificate`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in [.close] })
        let outcomes = try await handshakes(with: server, trusting: try Self.roots)
        #expect(outcomes == [.failed(isRefusal: false, hasCertificate: false)])
    }

    /// Confined to the loop of its test.
    private final class Observed: @unchecked Sendable {
        weak var channel: SocketChannel?
        /// It holds the memory of BoringSSL.
        weak var handler: NIOSSLClientHandler?
        var step: TLSHandshake?
    }

    @Test func `a channel that has ended over TLS is released at once`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        let address = TsubameSockets.SocketAddress.ipv4(address: 0x7F00_0001, port: UInt16(server.port))
        var settings = ConnectionSettings.TLS()
        settings.roots = .pem(TestCertificates.authorityPEM)
        let tls = TLSContext(settings, .http11)
        try await EngineParts.withLoopPool { loopPool in
            let loop = loopPool.loop
            let context = try await tls.get(on: loop).get()
            let (observed, isSecured) = (Observed(), Gate())
            try await loop.submit {
                let channel = SocketChannel(loop, try Socket(for: address)) {}
                observed.channel = channel
                channel.connect(to: address) { _ in
                    let step = try? TLSHandshake(context, host: "localhost", capture: nil) { _ in isSecured.open() }
                    try? step?.start(on: channel)
                    observed.step = step
                }
            }.get()
            try await isSecured.wait()
            try await loop.submit {
                let pipeline = try #require(observed.channel?.pipeline.syncOperations)
                observed.handler = try pipeline.handler(type: NIOSSLClientHandler.self)
                observed.step = nil
                observed.channel?.end()
            }.get()
            // The end of a channel takes a few turns of its loop, and no time.
            for _ in 0..<10 { try await loop.submit {}.get() }
            #expect(try await loop.submit { observed.channel == nil && observed.handler == nil }.get())
        }
        await server.stop()
    }

    @Test func `a handshake that is cancelled tells nothing`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in [.stopReading, .stall] })
        let outcomes = try await handshakes(with: server, trusting: try Self.roots, cancels: true)
        #expect(outcomes.isEmpty)
    }
}
