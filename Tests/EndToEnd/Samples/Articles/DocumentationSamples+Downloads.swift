// DocumentationSamples: the samples of Downloads.md.

import Dispatch
import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

extension DocumentationSamples {
    @Test func downloads() async throws {
        let server = try await ScriptedServer.start { _ in
            .ok("hello", headers: [.eTag: "\"one\"", .acceptRanges: "bytes"])
        }
        let api = Client(server.url)
        try await withFolder { folder in
            let other = folder.appending(path: "other.iso")
            let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
            let file = try await api.download("big.iso", to: folder, resume: true) { progress in print(progress) }
            print(file.url.lastPathComponent, file.count, file.resumed)
            #expect(file.count == 5)
            let policy = DownloadPolicy.standard {
                $0.ifExists = .fail
                $0.digest = .sha256(digest)
                $0.connections = 4
            }
            let checked = try await api.download("big.iso", to: other, policy: policy)
            #expect(checked.url.lastPathComponent == "other.iso")
            let queue = DispatchQueue(label: "downloads")
            let name = await withCheckedContinuation { continuation in
                let ended = { @Sendable (result: Result<DownloadedFile, CallError>) in
                    continuation.resume(returning: (try? result.get())?.url.lastPathComponent)
                }
                let call = api.start(downloading: Request(.get, "big.iso"), to: folder, on: .queue(queue)) { result in
                    ended(result)
                }
                _ = call
            }
            #expect(name == "big-1.iso")
        }
        try await close(api)
        await server.stop()
    }
}
