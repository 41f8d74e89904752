// PieceTests: downloads over several connections at once.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct PieceTests {
    private static let policy = DownloadPolicy.standard {
        $0.connections = 4
        $0.minimumPiece = 100_000
    }
    private let file = ServedFile(count: 1_000_000)

    @Test(arguments: [true, false]) func `a large file comes in pieces at once`(isResumed: Bool) async throws {
        let (file, gate) = (file, Gate())
        try await withFolder { folder in
            // No piece ends before all pieces have begun.
            let server = try await ScriptedServer.start { request in
                let reply = file.answer(request)
                return Reply([reply.steps[0], .wait(for: gate)] + reply.steps.dropFirst())
            }
            try await serving(server) { server, client in
                let told = Log<DownloadProgress>()
                let download = Task {
                    try await client.download("a", to: folder, resume: isResumed, policy: Self.policy) { told.add($0) }
                }
                try await gate.waitForArrivals(4)
                gate.open()
                let got = try await download.value
                #expect(got.url.bytes == file.content && folder.names == ["a"])
                #expect(told.all.last?.received == 1_000_000)
                let ranges = Set(server.requests.map { $0["range"] ?? "" })
                #expect(ranges == ["", "bytes=250000-499999", "bytes=500000-749999", "bytes=750000-999999"])
                #expect(server.requests.dropFirst().allSatisfy { $0["if-range"] == "\"one\"" })
            }
        }
    }

    @Test func `connections that write to the disk at once do not get into each other's way`() async throws {
        let file = file
        try await withFolder { folder in
            try await serving(.start { file.answer($0) }) { _, client in
                let policy = DownloadPolicy.standard {
                    $0.connections = 4
                    $0.minimumPiece = 100_000
                    $0.syncDistance = 16 << 10
                }
                for index in 0..<20 {
                    let target = folder.appending(path: "\(index)")
                    let got = try await client.download("a", to: target, resume: true, policy: policy)
                    #expect(got.url.bytes == file.content)
                }
                #expect(folder.names.count == 20)
            }
        }
    }

    @Test func `a small file, and one of a server without ranges, come over one connection`() async throws {
        var plain = file
        plain.servesRanges = false
        var weak = file
        weak.etag = "W/\"one\""
        for served in [ServedFile(count: 199_999), plain, weak] {
            try await withFolder { folder in
                try await serving(.start { served.answer($0) }) { server, client in
                    let got = try await client.download("a", to: folder, policy: Self.policy)
                    #expect(got.url.bytes == served.content && server.requests.count == 1)
                }
            }
        }
    }

    @Test func `BAD-INPUT 42: pieces of two versions are never put together`() async throws {
        let file = file
        var other = ServedFile(count: 1_000_000, seed: 9)
        other.etag = "\"two\""
        let replaced = other
        try await withFolder { folder in
            try await serving(.start { $0["range"] == nil ? file.answer($0) : replaced.answer($0) }) { _, client in
                // The content is the first response read to its end. If that response stopped where another piece was
                // to begin, it is the server's newer content.
                let got = try await client.download("a", to: folder, resume: true, policy: Self.policy)
                let bytes = got.url.bytes
                #expect(bytes == file.content || bytes == replaced.content)
                #expect(folder.names == ["a"])
            }
        }
    }

    @Test func `a piece that breaks is asked for again, from where it broke`() async throws {
        let (file, gate) = (file, Gate())
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                let reply = file.answer(request)
                switch request["range"] {
                case "bytes=500000-749999": return file.answer(request, sending: 100_000)
                case "bytes=600000-749999": gate.open()
                case nil:
                    // The first response brings no byte of the piece before its rest is asked for.
                    return Reply([reply.steps[0], .wait(for: gate)] + reply.steps.dropFirst())
                default: break
                }
                return reply
            }
            try await serving(server, { $0.retry = .connectionFailures }) { server, client in
                let got = try await client.download("a", to: folder, resume: true, policy: Self.policy)
                #expect(got.url.bytes == file.content)
                let ranges = server.requests.compactMap { $0["range"] }.filter { $0.hasSuffix("749999") }
                #expect(ranges == ["bytes=500000-749999", "bytes=600000-749999"])
            }
        }
    }

    @Test func `a download that cannot be continued ends with its first connection`() async throws {
        let (file, never) = (file, Gate())
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                request["range"] == nil ? file.answer(request, sending: 10_000) : [.wait(for: never)]
            }
            try await serving(server) { _, client in
                let plain = client.with { $0.retry = .off }
                let error = try await failure {
                    try await plain.download("a", to: folder, resume: false, policy: Self.policy)
                }
                #expect(error.kind == .incompleteResponse && folder.names.isEmpty)
            }
            never.open()
        }
    }

    @Test func `pieces that bring next to nothing are not asked for again and again`() async throws {
        let file = file
        try await withFolder { folder in
            // The first connection gets its own piece and no more, so it cannot bring the bytes of the others.
            let server = try await ScriptedServer.start { file.answer($0, sending: $0["range"] == nil ? 250_000 : 1) }
            try await serving(server, { $0.retry = .off }) { server, client in
                let error = await #expect(throws: CallError.self) {
                    try await client.download("a", to: folder, resume: true, policy: Self.policy)
                }
                #expect(error?.kind == .incompleteResponse)
                // The whole file, each piece, and the remaining bytes.
                #expect(server.requests.count <= 5)
            }
        }
    }

    @Test func `cancelling reaches the others after the first connection broke`() async throws {
        let (file, stuck, end) = (file, Gate(), Gate())
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                request["range"] == nil
                    ? file.answer(request, sending: 1_000) : file.answer(request, sending: 1_000, then: stuck)
            }
            try await serving(server) { server, client in
                let call = client.start(
                    downloading: Request(.get, "a"), to: folder, resume: true, policy: Self.policy,
                    on: .queue(.init(label: "x")), then: { _ in end.open() })
                try await stuck.waitForArrivals(3)
                // The first connection has broken, and the call waits for the others.
                while await client.statistics().sockets > 3 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                call.cancel()
                try await end.wait()
                #expect(server.requests.count == 4)
            }
        }
    }

    @Test func `what a server gives nobody else the first connection brings`() async throws {
        let (file, gate, refused, over) = (file, Gate(), Log<UInt64>(), Gate())
        try await withFolder { folder in
            let server = try await ScriptedServer.start { request in
                if request["range"] == nil {
                    let reply = file.answer(request)
                    return Reply([reply.steps[0], .wait(for: gate)] + reply.steps.dropFirst())
                }
                return over.isOpen ? file.answer(request) : .status(.serviceUnavailable, "one at a time")
            }
            try await serving(server, { $0.retry = .off }) { server, client in
                let observation = client.observe { event in
                    guard case .finished(let response) = event.kind, response.statusCode == 503 else { return }
                    refused.add(event.call)
                    guard refused.all.count == 3 else { return }
                    over.open()
                    gate.open()
                }
                let got = try await client.download("a", to: folder, resume: true, policy: Self.policy)
                observation.cancel()
                #expect(got.url.bytes == file.content && refused.all.count == 3)
            }
        }
    }

    @Test(arguments: [1, 4]) func `what came of all pieces is found by the next call`(connections: Int) async throws {
        let (file, gate) = (file, Gate())
        try await withFolder { folder in
            let stuck = Gate()
            let server = try await ScriptedServer.start { request in
                gate.isOpen ? file.answer(request) : file.answer(request, sending: 150_000, then: stuck)
            }
            try await serving(server, { $0.retry = .off }) { server, client in
                let (end, enough) = (Gate(), Gate())
                let call = client.start(
                    downloading: Request(.get, "a"), to: folder, resume: true, policy: Self.policy,
                    on: .queue(.init(label: "x")), progress: { if $0.received > 100_000 { enough.open() } },
                    then: { _ in end.open() })
                try await stuck.waitForArrivals(4)
                try await enough.wait()
                call.cancel()
                try await end.wait()
                gate.open()
                let before = server.requests.count
                let policy = DownloadPolicy.standard {
                    $0.connections = connections
                    $0.minimumPiece = 50_000
                }
                let got = try await client.download("a", to: folder, resume: true, policy: policy)
                #expect(got.url.bytes == file.content && folder.names == ["a"])
                let ranges = server.requests[before...].map { $0["range"] ?? "" }
                #expect(got.resumed > 100_000 && ranges.count > 1 && !ranges.contains(""))
                guard connections == 1 else { return }
                // The client requests only the missing bytes, gap by gap.
                let asked = ranges.reduce(Int64(0)) { sum, range in
                    let ends = range.dropFirst(6).split(separator: "-").compactMap { Int64($0) }
                    return sum + (ends.count > 1 ? ends[1] + 1 : 1_000_000) - (ends.first ?? 0)
                }
                #expect(asked == 1_000_000 - got.resumed, "\(ranges)")
            }
        }
    }
}
