// ResumableUploadTests: uploads to a server that keeps received bytes, interrupted once or often, over real sockets.
#if Server
import Crypto
import Foundation
import HTTPBin
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ResumableUploadTests {
    private static let content = (0..<12_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
    private static let digest = SHA256.hash(data: content).map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    .joined()

    private struct Received: Decodable {
        let bytes: Int
        let sha256: String
    }

    @Test(arguments: [[], [0], [5_000_001], [1, 65_536, 3_000_000, 3_000_001, 11_999_999]])
    func `what arrives is what was sent, wherever it broke off`(drops: [Int]) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.bin")
            try Data(Self.content).write(to: file)
            try await withHTTPBin { url, log in
                try await withClient(url, { $0.retry = .standard { ($0.delay, $0.retries) = (.zero, 8) } }) { client in
                    let query = drops.map { "drop=\($0)" }.joined(separator: "&")
                    let told = Told()
                    let request = Request(.post, url: "\(url)/uploads?\(query)", body: .file(file))
                    let response = try await client.upload(request, resume: true) { told.add($0) }
                    let received = try await response.json(Received.self)
                    #expect(received.bytes == Self.content.count && received.sha256 == Self.digest)
                    let last = try #require(told.all.last)
                    #expect(last.sent == 12_000_000 && last.resumptions == drops.count, "\(last)")
                    // The log holds only requests that arrived completely, even if the connection broke afterwards.
                    let parts = log.all.filter { $0.method == "PATCH" }.count
                    #expect((min(drops.count, 1)...drops.count).contains(parts))
                }
            }
        }
    }

    @Test func `a server that tells how far it has come may break off more often than there are retries`() async throws
    {
        let drops = (1...6).map { "drop=\($0 * 1_900_000)" }.joined(separator: "&")
        try await withHTTPBin { url, _ in
            try await withClient(url, { $0.retry = .standard { ($0.delay, $0.retries) = (.zero, 1) } }) { client in
                let request = Request(.post, url: "\(url)/uploads?\(drops)", body: .bytes(Self.content))
                let response = try await client.upload(request, resume: true)
                let received = try await response.json(Received.self)
                #expect(received.bytes == Self.content.count && received.sha256 == Self.digest)
            }
        }
    }
}

private final class Told: Sendable {
    private let list = Mutex<[UploadProgress]>([])

    func add(_ progress: UploadProgress) { list.withLock { $0.append(progress) } }

    var all: [UploadProgress] { list.withLock { $0 } }
}

#endif
