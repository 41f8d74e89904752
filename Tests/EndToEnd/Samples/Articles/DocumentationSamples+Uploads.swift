// DocumentationSamples: the samples of Uploads.md.

import Dispatch
import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

extension DocumentationSamples {
    @Test func uploads() async throws {
        let server = try await ScriptedServer.start { request in .ok(request.text) }
        let api = Client(server.url)
        try await withFolder { folder in
            let file = folder.appending(path: "7.mp4")
            try Data("hello".utf8).write(to: file)
            let response = try await api.upload(file, to: "videos", resume: true) { progress in print(progress) }
            print(response.status)
            let text = try await response.text()
            #expect(text == "hello")
            let request = Request(
                .put, "videos/7", headers: [.contentDisposition: "inline; filename=\"7.mp4\""], body: .file(file))
            let stored = try await api.upload(request, resume: true)
            #expect(stored.status == .ok && server.requests[1]["content-disposition"] == "inline; filename=\"7.mp4\"")
            let queue = DispatchQueue(label: "uploads")
            let status = await withCheckedContinuation { continuation in
                let ended = { @Sendable (result: Result<Response, CallError>) in
                    continuation.resume(returning: (try? result.get())?.statusCode)
                }
                let call = api.start(uploading: request, resume: true, on: .queue(queue)) { result in
                    ended(result)
                }
                _ = call
            }
            #expect(status == 200)
        }
        try await close(api)
        await server.stop()
    }
}
