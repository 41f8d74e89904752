// UnixSocketTests: Unix-domain sockets of local daemons.

import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import Testing
import Tsubame
import TsubamePlatform
import TsubameSockets
import TsubameTesting

/// Answers every request with its own head, at a path.
private final class LocalServer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var received = ""

    static func start(at path: String) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(LocalServer()) }
            }
            .bind(unixDomainSocketPath: path).get()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        guard received.hasSuffix("\r\n\r\n") else { return }
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(received.utf8.count)\r\n\r\n\(received)"
        received = ""
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct UnixSocketTests {
    @Test func `every connection goes to the socket, and the host is only told`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "s").path
            let server = try await LocalServer.start(at: path)
            try await withClient("http://docker.invalid", { $0.connection.unixSocket = .file(path) }) { client in
                for isReused in [false, true] {
                    let response = try await client.get("containers/json", query: ["all": true])
                    let text = try await response.text()
                    #expect(text.hasPrefix("GET /containers/json?all=true HTTP/1.1\r\nHost: docker.invalid\r\n"))
                    #expect(response.connection?.isReused == isReused)
                    #expect(response.connection?.remoteAddress == "unix:\(path)")
                }
                // Another host is another origin and gets a separate connection.
                let other = try await client.get(url: "http://other.invalid/")
                #expect(other.connection?.isReused == false)
            }
            try await server.close()
        }
    }

    #if os(Linux)
    @Test func `a daemon whose queue is full is tried again`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "s").path
            let address = TsubameSockets.SocketAddress.unix(path: path)
            let listener = try Socket(for: address)
            try listener.bind(to: address)
            #expect(listen(listener.descriptor, 0) == 0)
            // Linux does not wait, but says that the queue is full.
            var queued: [Int32] = []
            while true {
                let socket = try Socket(for: address)
                guard (try? socket.connect(to: address)) != nil else { break }
                queued.append(socket.release())
            }
            try #require((1..<10).contains(queued.count))
            let descriptor = listener.descriptor
            try await withClient("http://a.example", { $0.connection.unixSocket = .file(path) }) { client in
                let tried = Gate()
                let observation = client.observe { if case .connecting = $0.kind { tried.open() } }
                defer { observation.cancel() }
                let call = Task { try await client.get("x") }
                try await tried.wait()
                let server = Task.detached { Self.serve(descriptor) }
                for socket in queued { close(socket) }
                #expect(try await call.value.text() == "ok")
                await server.value
            }
        }
    }

    /// Accepts connections until one has sent a request, and answers it.
    private static func serve(_ listener: Int32) {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 30_000) == 1 {
            let connection = accept(listener, nil, nil)
            defer { close(connection) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            guard read(connection, &bytes, bytes.count) > 0 else { continue }
            let answer = Array("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".utf8)
            _ = write(connection, answer, answer.count)
            return
        }
    }
    #endif

    @Test func `a proxy is not used for it`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "s").path
            let server = try await LocalServer.start(at: path)
            let proxy = try DeadPort()
            try await withClient(
                "http://a.example",
                {
                    $0.connection.unixSocket = .file(URL(filePath: path))
                    $0.connection.proxy = .url("http://127.0.0.1:\(proxy.number)")
                }
            ) { client in
                let status = try await client.get("x").status
                #expect(status == .ok)
            }
            try await server.close()
        }
    }

    @Test func `nobody there is an error that names the path`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "nobody").path
            try await withClient("http://a.example", { $0.connection.unixSocket = .file(path) }) { client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .connectionFailed && error.reason.contains("unix:\(path)"), "\(error)")
            }
        }
    }

    @Test func `a path that the system cannot take is an invalid request`() async throws {
        for path in ["", String(repeating: "x", count: 300)] {
            try await withClient("http://a.example", { $0.connection.unixSocket = .file(path) }) { client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .invalidRequest || error.kind == .connectionFailed, "\(error)")
                #expect(error.description.contains("unix"), "\(error)")
            }
        }
    }
}
