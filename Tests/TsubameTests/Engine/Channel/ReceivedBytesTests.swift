// ReceivedBytesTests: the memory of reads, which is shared or copied, and their size.

import NIOCore
import Testing
import Tsubame
import TsubameCore
import TsubameSockets

@testable import TsubameEngine

@Suite struct ReceivedBytesTests {
    @Test func `a small part of a read is copied, and a fifth of its memory is shared`() async throws {
        try await EngineParts.withLoopPool { loopPool in
            let loop = loopPool.loop.loop
            try await loopPool.loop.submit {
                var chunk = loop.takeInput()
                let first = ObjectIdentifier(chunk)
                chunk.base.storeBytes(of: 0x61, as: UInt8.self)
                var read = ReceivedBytes(chunk, count: MemoryChunk.capacity)
                let small = read.piece(0..<1)
                let large = read.piece(0..<(MemoryChunk.capacity / 5))
                let beyond = read.piece(0..<(MemoryChunk.capacity + 1))
                #expect(beyond.count == 0)
                // The large part still holds the chunk, so the next read takes another one.
                chunk = loop.takeInput()
                #expect(ObjectIdentifier(chunk) != first)
                chunk.base.storeBytes(of: 0x62, as: UInt8.self)
                read = ReceivedBytes(chunk, count: 1)
                #expect(small == Bytes("a"))
                #expect(large.slice(0..<1) == Bytes("a"))
                #expect(large.count == MemoryChunk.capacity / 5)
                #expect(read.piece(0..<1) == Bytes("b"))
            }.get()
            // Nothing refers to the chunk any more, which serves again.
            let isSame = try await loopPool.loop.submit {
                ObjectIdentifier(loop.takeInput()) == ObjectIdentifier(loop.takeInput())
            }.get()
            #expect(isSame)
        }
    }

    @Test func `the decrypted bytes of a buffer are shared if they are a large part of it`() {
        var buffer = ByteBufferAllocator().buffer(capacity: 1024)
        buffer.writeRepeatingByte(0x61, count: 1024)
        var pieces: [Bytes] = []
        ReceivedBytes.of(buffer) { read in
            pieces = [read.piece(0..<1), read.piece(0..<1024)]
        }
        buffer.setRepeatingByte(0x62, count: 1024, at: 0)
        #expect(pieces[0] == Bytes("a"))
        #expect(pieces[1] == Bytes([UInt8](repeating: 0x61, count: 1024)))
    }

    @Test func `parts of one read become one piece`() {
        let text = Array("one--two--six".utf8)
        text.withUnsafeBytes { bytes in
            let read = ReceivedBytes(bytes)
            var pieces = ReceivedPieces()
            #expect(pieces.take(from: read) == nil)
            pieces.add(0..<3, of: read)
            let single = pieces.take(from: read)
            for range in [0..<3, 5..<8, 10..<13, 10..<14] { pieces.add(range, of: read) }
            let joined = pieces.take(from: read)
            #expect(single == Bytes("one"))
            #expect(joined == Bytes("onetwosix"))
            #expect(pieces.take(from: read) == nil)
        }
    }

    @Test func `a read grows while it is full, and shrinks when two in a row are small`() {
        var size = ReadSize()
        #expect(size.value == 4 << 10)
        for _ in 0..<10 { size.record(size.value) }
        #expect(size.value == 256 << 10)
        size.record(1)
        size.record(size.value / 2)
        size.record(1)
        #expect(size.value == 256 << 10)
        size.record(1)
        #expect(size.value == 128 << 10)
        for _ in 0..<40 { size.record(0) }
        #expect(size.value == 1 << 10)
    }

    @Test func `the rest of a read comes before the next one, however much was consumed`() {
        let bytes = (0..<64).map { UInt8($0) }
        for step in 1...9 {
            for keeping in 0...12 {
                var (input, seen) = (UnconsumedInput(), [UInt8]())
                // Consumes all but the last `keeping` bytes, as a decoder that waits for more does.
                func consume(_ part: UnsafeRawBufferPointer) -> Int {
                    let count = max(part.count - keeping, 0)
                    seen += part[..<count]
                    return count
                }
                for start in stride(from: 0, to: bytes.count, by: step) {
                    bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { read in
                        if input.isEmpty {
                            input.keep(read, after: consume(read))
                        } else {
                            let joined = input.join(read)
                            input.giveBack(joined, consumed: joined.withUnsafeBytes(consume))
                        }
                    }
                }
                #expect(seen == Array(bytes[..<(64 - min(keeping, 64))]))
                #expect(input.count == keeping)
            }
        }
    }
}
