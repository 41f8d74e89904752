// PhotosScenarioTests: the model of an app, in a program in a terminal and alone.

import Foundation
import HTTPTypes
import PhotosModel
import Testing
import Tsubame
import TsubameTesting

@Suite("Photos", .timeLimit(.minutes(2)))
struct PhotosScenarioTests {
    private static let list = #"[{"id": 1, "title": "Nest", "image": "images/1"}]"#

    private static func answer(_ request: ReceivedRequest) -> Reply {
        let stored: HTTPFields = [.cacheControl: "max-age=0", .eTag: "\"1\""]
        return request.target == "/photos" ? .ok(list, headers: stored) : .ok("image", headers: stored)
    }

    @Test func withoutAServerTheProgramShowsAPreview() async throws {
        let run = try await runProduct("Photos", [])
        #expect(run.lines == ["1. Nest: 8 bytes"] && run.status == 0)
    }

    @Test func withoutANetworkItShowsWhatItHasStored() async throws {
        try await withFolder { folder in
            let cache = folder.appending(path: "photos").path
            let server = try await ScriptedServer.start { Self.answer($0) }
            let first = try await runProduct("Photos", [server.url, cache])
            #expect(first.lines == ["1. Nest: 5 bytes"] && first.status == 0)
            await server.stop()
            let second = try await runProduct("Photos", [server.url, cache])
            let told = "not fetched: GET \(server.url)/photos failed while connecting"
            #expect(second.lines.first?.hasPrefix(told) == true)
            #expect(second.lines.last == "1. Nest: 5 bytes, stored" && second.status == 0)
        }
    }

    @Test func aFolderThatIsNoCacheIsRefused() async throws {
        try await withFolder { folder in
            try Data("mine".utf8).write(to: folder.appending(path: "notes.txt"))
            let run = try await runProduct("Photos", ["http://127.0.0.1:1", folder.path])
            #expect(run.lines.first?.hasPrefix("not shown: ") == true && run.status == 1)
        }
    }

    @Test @MainActor func whatIsStoredIsShownWhileTheListIsFetched() async throws {
        let (asked, answers) = (Gate(), Gate())
        let server = try await ScriptedServer.start { request in
            guard request.index > 0 else { return Self.answer(request) }
            asked.open()
            return Self.answer(request).after(answers)
        }
        let service = PhotoService(server.url, cache: ResponseCache())
        _ = try await service.photos()
        let list = PhotoList(service)
        let loading = Task { await list.load() }
        try await asked.wait()
        #expect(list.photos.map(\.title) == ["Nest"] && list.isLoading)
        answers.open()
        await loading.value
        #expect(!list.isLoading && list.error == nil)
        await server.stop()
    }

    @Test func anImageThatIsNoLongerWantedIsNoLongerFetched() async throws {
        let asked = Gate()
        let server = try await ScriptedServer.start { _ in
            asked.open()
            return .stall
        }
        let service = PhotoService(server.url, cache: ResponseCache())
        let view = Task { try await service.image(of: Photo(id: 1, title: "Nest", image: "images/1")) }
        try await asked.wait()
        view.cancel()
        let result = await view.result
        #expect(throws: CallError.self) { try result.get() }
        try await server.waitUntil(openConnections: 0)
        await server.stop()
    }

    @Test func twoViewsOfAPhotoMakeOneRequest() async throws {
        let (asked, answers) = (Gate(), Gate())
        let server = try await ScriptedServer.start { request in
            asked.open()
            return Self.answer(request).after(answers)
        }
        let service = PhotoService(server.url, cache: ResponseCache())
        let photo = Photo(id: 1, title: "Nest", image: "images/1")
        async let first = service.image(of: photo)
        try await asked.wait()
        async let second = service.image(of: photo)
        answers.open()
        #expect(try await [first.text(), second.text()] == ["image", "image"])
        #expect(server.requests.count == 1)
        await server.stop()
    }
}
