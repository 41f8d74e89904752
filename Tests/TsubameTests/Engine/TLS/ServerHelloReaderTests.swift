// ServerHelloReaderTests: a peer whose handshake does not end does not fill the memory.

import NIOCore
import NIOEmbedded
import Testing

@testable import TsubameEngine

@Suite struct ServerHelloReaderTests {
    @Test func `a handshake has a limit of bytes`() throws {
        let channel = EmbeddedChannel(handler: ServerHelloReader())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let piece = ByteBuffer(repeating: 0x16, count: 64 << 10)
        for _ in 0..<(ServerHelloReader.mostBytes >> 16) { try channel.writeInbound(piece) }
        #expect(channel.isActive)
        let error = #expect(throws: ServerHelloReader.TooManyBytes.self) { try channel.writeInbound(piece) }
        #expect(error.map { "\($0)" } == "the peer sent more than 1024 KiB before the handshake ended")
        #expect(!channel.isActive)
        // Nothing of the last piece was passed on.
        var bytes = 0
        while let passed = try channel.readInbound(as: ByteBuffer.self) { bytes += passed.readableBytes }
        #expect(bytes == ServerHelloReader.mostBytes)
        _ = try? channel.finish()
    }
}
