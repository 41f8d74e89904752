// CertificateServer: an HTTPS server that asks its clients for certificates.

import NIOCore
import NIOPosix
import NIOSSL
import Tsubame

@testable import TsubameTesting

/// A server on 127.0.0.1 with ``TLSIdentity/localhost`` that asks every client for a certificate. It accepts any
/// certificate and refuses a client without one. It answers every request with `ok`.
final class CertificateServer: Sendable {
    struct Record: Sendable {
        /// The clients' certificates in DER, in the order of the handshakes.
        var shown: [[UInt8]] = []
        var requests = 0
        /// The open connections by number.
        var channels: [Int: any Channel] = [:]
        var accepted = 0
        var isStopped = false
    }

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let listener: any Channel
    private let record: Watched<Record>
    let port: Int

    private init(_ listener: any Channel, _ record: Watched<Record>) {
        self.listener = listener
        self.record = record
        port = listener.localAddress?.port ?? 0
    }

    deinit { beginStopping() }

    /// - Parameter protocols: the protocols that the server offers by ALPN.
    static func start(
        versions: ClosedRange<TLSIdentity.Version> = .tls12 ... .tls13, protocols: [String] = ["http/1.1"]
    ) async throws -> CertificateServer {
        let record = Watched(Record())
        let context = try makeContext(versions, protocols)
        let listener = try await ServerBootstrap(group: group.next())
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, context, record) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return CertificateServer(listener, record)
    }

    private static func makeContext(
        _ versions: ClosedRange<TLSIdentity.Version>, _ protocols: [String]
    ) throws -> NIOSSLContext {
        let identity = TLSIdentity.localhost
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(identity.certificatesPEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)))
        configuration.minimumTLSVersion = versions.lowerBound == .tls12 ? .tlsv12 : .tlsv13
        configuration.maximumTLSVersion = versions.upperBound == .tls12 ? .tlsv12 : .tlsv13
        configuration.applicationProtocols = protocols
        // The server asks every client, and its callback accepts any certificate, so no roots need be read.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        return try NIOSSLContext(configuration: configuration)
    }

    private static func accept(_ channel: any Channel, _ context: NIOSSLContext, _ record: Watched<Record>) throws {
        let number = record.change { record -> Int? in
            guard !record.isStopped else { return nil }
            record.channels[record.accepted] = channel
            record.accepted += 1
            return record.accepted - 1
        }
        guard let number else { throw ChannelError.ioOnClosedChannel }
        channel.closeFuture.whenComplete { _ in record.change { $0.channels[number] = nil } }
        let secure = NIOSSLServerHandler(
            context: context,
            customVerificationCallback: { chain, verdict in
                let certificate = (try? chain.first?.toDERBytes()) ?? []
                record.change { $0.shown.append(certificate) }
                verdict.succeed(.certificateVerified)
            })
        try channel.pipeline.syncOperations.addHandler(ServerWire())
        try channel.pipeline.syncOperations.addHandler(secure)
        try channel.pipeline.syncOperations.addHandler(CertificateAnswer(record))
    }

    // MARK: Stopping

    private func beginStopping() {
        let (record, listener) = (record, listener)
        record.change { $0.isStopped = true }
        listener.eventLoop.execute {
            listener.close(promise: nil)
            for channel in record.read({ Array($0.channels.values) }) {
                channel.triggerUserOutboundEvent(ServerWire.End.cutOff, promise: nil)
            }
        }
    }

    private func stop() async {
        beginStopping()
        try? await listener.closeFuture.get()
        for channel in record.read({ Array($0.channels.values) }) { try? await channel.closeFuture.get() }
    }

    /// Runs `body` with this server and a client of it. Afterwards nothing may be open at either end, and the server is
    /// stopped.
    func serve<R>(
        _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (CertificateServer, Client) async throws -> R
    ) async throws -> R {
        do {
            let result = try await withClient("https://localhost:\(port)", configure) { try await body(self, $0) }
            try await record.wait { $0.channels.isEmpty }
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    // MARK: Received certificates

    var shown: [[UInt8]] { record.read { $0.shown } }
    var requests: Int { record.read { $0.requests } }
    var acceptedConnections: Int { record.read { $0.accepted } }
}

/// Answers requests. Confined to its event loop.
private final class CertificateAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private let record: Watched<CertificateServer.Record>
    private var input: [UInt8] = []

    init(_ record: Watched<CertificateServer.Record>) { self.record = record }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        input += Self.unwrapInboundIn(data).readableBytesView
        // The requests here have no body.
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        while let found = input.firstRange(of: end) {
            input.removeSubrange(..<found.upperBound)
            record.change { $0.requests += 1 }
            let answer = context.channel.allocator.buffer(string: Self.answer)
            context.writeAndFlush(Self.wrapOutboundOut(answer), promise: nil)
        }
    }

    /// Receives the error of a failed handshake or a broken connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.triggerUserOutboundEvent(ServerWire.End.cutOff, promise: nil)
    }
}
