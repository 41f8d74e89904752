// HTTP2UploadTests: bodies that a peer takes slowly over HTTP/2.

import Dispatch
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

#if os(Linux)
@Suite(.timeLimit(.minutes(2))) struct HTTP2UploadTests {
    /// Apart from `DispatchQueue.global()`, all of whose threads BlockedPoolTests block.
    private static let timers = DispatchQueue(label: "tsubame.tests.uploads.http2")

    private static func pause(_ milliseconds: Int) async throws {
        let gate = Gate()
        timers.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { gate.open() }
        try await gate.wait()
    }

    @Test func `a peer that takes little at a time, but steadily, is not idle`() async throws {
        // More than the system takes at once.
        let length = 24 << 20
        // The windows allow the whole body at once. The peer reads a little every 50 ms, for longer than the idle time. Its system
        // tells the client of room only when half of its buffer is free, which takes some seconds.
        try await withPeer(settings: [(4, 32 << 20)]) { connection in
            try await connection.windowUpdate(0, 32 << 20)
            let request = try await connection.nextRequest()
            try await connection.setReading(false)
            for _ in 0..<170 {
                try await Self.pause(50)
                connection.readOnce()
            }
            try await connection.setReading(true)
            try await connection.waitUntil("the end of the body") { $0.last?.endsStream == true }
            #expect(connection.frames.reduce(0) { $0 + ($1.kind == .data ? $1.payload.count : 0) } == length)
            try await connection.respond(request.stream, text: "done")
        } client: { peer, client in
            var request = Request(.post, url: peer.url, body: .bytes(Bytes(repeatElement(0, count: length))))
            request.timeouts.idle = .seconds(8)
            let response = try await client.send(request)
            #expect(response.bytes == Bytes("done"))
        }
    }
}
#endif
