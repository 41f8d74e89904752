// MemoryTests: announced bytes take no memory, and received bytes take no more than the limits allow.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting
import TsubameWire

/// The bounds are far above the memory of other tests in this process, and far below the effect of the fault.
@Suite(.timeLimit(.minutes(2))) struct MemoryTests {
    @Test("BAD-INPUT 3: no memory is taken by a Content-Length, however large") func announcedLength() async throws {
        let calls = 64
        let (gate, heads) = (Gate(), Gate())
        let announcement = "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nabc"
        let server = try await ScriptedServer.start { _ in [.bytes(announcement), .wait(for: gate), .close] }
        try await serving(server) { server, client in
            let seen = Log<UInt64>()
            let observation = client.observe { event in
                guard case .headReceived = event.kind else { return }
                seen.add(event.call)
                if seen.all.count == calls { heads.open() }
            }
            let before = try #require(ProcessMemory.reserved)
            let errors = try await withThrowingTaskGroup(of: CallError?.self) { group in
                for _ in 0..<calls { group.addTask { await callError { _ = try await client.get("x") } } }
                // All bodies are arriving. At 64 MiB each, which a client may buffer, they would take 4 GiB.
                try await heads.wait()
                let growth = try #require(ProcessMemory.reserved) - before
                #expect(growth < 2 << 30)
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.count == calls)
            for error in errors {
                #expect(error?.kind == .incompleteResponse)
                #expect(error?.connection != nil)
            }
            try await server.waitUntil(openConnections: 0)
            withExtendedLifetime(observation) {}
        }
    }

    @Test("BAD-INPUT 38: a gibibyte out of a bomb takes no memory when it is read piece by piece")
    func streamedBomb() async throws {
        let zeros = Coded.endlessZeros
        let server = try await ScriptedServer.start { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), .bytes(zeros.start),
                .repeating(zeros.piece),
            ]
        }
        try await serving(server) { server, client in
            let before = try #require(ProcessMemory.resident)
            let growth = try await client.stream(Request(.get, "x")) { response in
                var (total, largest) = (0, 0)
                for try await piece in response.body {
                    total += piece.count
                    if total % (64 << 20) < piece.count, let resident = ProcessMemory.resident {
                        largest = max(largest, resident - before)
                    }
                    if total >= 1 << 30 { break }
                }
                return largest
            }
            #expect(growth < 512 << 20)
        }
    }

    // Without the libraries of brotli and zstd there is no such bomb.
    @Test(
        "BAD-INPUT 38: a gibibyte in two hundred bytes takes no more memory than a pull, and nothing when it is collected",
        .enabled(if: BrotliEncoder.isAvailable && ZstandardDecoder.isAvailable))
    func nestedBomb() async throws {
        let zeros = Coded.endlessZstdZeros
        let end: [UInt8] = [0x03, 0x00, 0x10, 0x00]
        // 1,024 blocks of 128 KiB make one piece.
        let frame = zeros.start + Array(repeatElement(zeros.piece, count: 8).joined()).dropLast(4) + end
        let bomb = try #require(Coded.brotli(frame))
        #expect(bomb.count < 200)
        let server = try await ScriptedServer.start { _ in .ok(bomb, headers: [.contentEncoding: "zstd, br"]) }
        try await serving(server) { server, client in
            let before = try #require(ProcessMemory.resident)
            let error = await callError { _ = try await client.get("x") }
            #expect(error?.kind == .limitExceeded)
            let (total, largest, growth) = try await client.stream(Request(.get, "x")) { response in
                var (total, largest, growth) = (0, 0, 0)
                for try await piece in response.body {
                    total += piece.count
                    largest = max(largest, piece.count)
                    if total % (64 << 20) < piece.count, let resident = ProcessMemory.resident {
                        growth = max(growth, resident - before)
                    }
                }
                return (total, largest, growth)
            }
            #expect(total == 1 << 30)
            #expect(largest <= 256 << 10)
            #expect(growth < 512 << 20)
        }
    }

    @Test("BAD-INPUT 38: what a decoder took is given back", arguments: ReceivedCoding.available)
    func decodersAreFreed(_ coding: ReceivedCoding) throws {
        // Half of a content; of zstd, a content that announces a window of 8 MiB.
        let whole: [UInt8]? =
            switch coding {
            case .gzip: Coded.gzip("hello")
            case .deflate: Coded.zlib(Array("hello".utf8))
            case .brotli: Coded.brotli(Array(String(repeating: "hello ", count: 20_000).utf8))
            case .zstd: [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x68, 0x42, 0x00, 0x00, 0x00, 0x42, 0x00]
            }
        guard let whole else { try Test.cancel("nothing encodes \(coding) here") }
        let half = whole.prefix(whole.count - 2)
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
        defer { output.deallocate() }
        let before = try #require(ProcessMemory.reserved)
        for _ in 0..<2_000 {
            let decoder = try coding.decoder()
            var consumed = 0
            _ = try half.withUnsafeBytes { try decoder.decode(into: output, from: $0, inputConsumed: &consumed) }
            #expect(throws: ContentCodingError.self) { try decoder.finish() }
        }
        // These windows alone would take 16 GiB.
        let growth = try #require(ProcessMemory.reserved) - before
        #expect(growth < 2 << 30)
    }
}
