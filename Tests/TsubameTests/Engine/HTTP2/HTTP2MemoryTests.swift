// HTTP2MemoryTests: the memory that an HTTP/2 connection keeps for its input.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore

@testable import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HTTP2MemoryTests {
    @Test func `FAULT 2: reads that end inside a frame header keep only that header`() async throws {
        let frames = 10_000
        let piece = [UInt8](repeating: 1, count: 1_000)
        // The number of pieces that the reader has received.
        let received = Watched(0)
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.sendHeaders(request.stream, [(":status", "200")])
            let frame = PeerFrame(.data, stream: request.stream, piece).bytes
            try await connection.send(Array(frame.prefix(5)))
            for index in 1...frames {
                // The rest of one frame, and the beginning of the next frame's header.
                try await connection.send(Array(frame.dropFirst(5)) + frame.prefix(5))
                try await received.wait { $0 >= index * piece.count }
            }
            try await connection.send(Array(frame.dropFirst(5)))
            try await connection.sendData(request.stream, [], endStream: true)
        } client: { peer, client in
            let total = try await client.stream(Request(.get, url: peer.url)) { response in
                var (total, most) = (0, 0)
                for try await bytes in response.body {
                    total += bytes.count
                    if total % (500 * piece.count) == 0 { most = max(most, await client.statistics().unconsumedBytes) }
                    let count = total
                    received.change { $0 = count }
                }
                #expect(most > 0 && most < 1 << 20, "\(most)")
                return total
            }
            #expect(total == (frames + 1) * piece.count)
        }
    }
}
