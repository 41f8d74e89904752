// SlowLinkTests: the order and the number of writes on a slow link.

import NIOCore
import NIOEmbedded
import Testing

@testable import TsubameTesting

@Suite struct SlowLinkTests {
    @Test func `a write that another one causes is sent once, and after it`() throws {
        let channel = EmbeddedChannel()
        let schedule = LinkConditions.Schedule(LinkConditions(latency: .milliseconds(1)), connection: 0)
        var moves = 0
        try channel.pipeline.syncOperations.addHandler(SlowLink(schedule) { moves += 1 })
        // A codec writes like this when the window of a stream opens.
        let first = channel.eventLoop.makePromise(of: Void.self)
        first.futureResult.assumeIsolated().whenSuccess {
            channel.pipeline.syncOperations.write(NIOAny(ByteBuffer(string: "b")), promise: nil)
        }
        channel.pipeline.syncOperations.writeAndFlush(NIOAny(ByteBuffer(string: "a")), promise: first)
        channel.embeddedEventLoop.advanceTime(to: .now() + .seconds(60))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "a"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "b"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        #expect(moves == 2)
        _ = try? channel.finish()
    }
}
