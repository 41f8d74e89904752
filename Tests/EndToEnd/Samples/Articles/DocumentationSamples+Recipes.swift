// DocumentationSamples: the samples of Recipes.md. Those for SwiftUI and the Keychain are compiled on Apple's systems only.

import Observation
import Synchronization
import Testing
import Tsubame
import TsubameFoundation
import TsubameTesting

#if canImport(SwiftUI)
import SwiftUI
#endif
#if canImport(Security)
import Foundation
import Security
#endif

private struct Photo: Codable, Sendable, Identifiable {
    let id: Int
    let title: String
    let image: String
}

private struct PhotoService: Sendable {
    let api: Client

    init(_ base: String, cache: ResponseCache, transport: (any Transport)? = nil) {
        api = Client(base, transport: transport) {
            $0.cache = .cache(cache)
            $0.traffic.coalescesEqualRequests = true
            $0.timeouts.total = .seconds(30)
        }
    }

    func storedPhotos() async -> [Photo]? {
        var request = Request(.get, "photos")
        request.cachePolicy = .onlyStored
        return try? await api.send(request).json([Photo].self)
    }

    func image(of photo: Photo) async throws(CallError) -> Response {
        var request = Request(.get, path: photo.image)
        request.cachePolicy = .preferStored
        return try await api.send(request).accepted()
    }
}

@MainActor @Observable
private final class PhotoList {
    private(set) var photos: [Photo] = []
    private(set) var error: CallError?
    private let service: PhotoService

    init(_ service: PhotoService) { self.service = service }

    func load() async {
        if photos.isEmpty, let stored = await service.storedPhotos() { photos = stored }
        do throws(CallError) {
            photos = try await service.api.get("photos").json([Photo].self)
            error = nil
        } catch {
            if error.kind != .cancelled { self.error = error }
        }
    }
}

private protocol Secrets: Sendable {
    func refreshToken() -> String?
    func save(refreshToken: String)
}

#if canImport(SwiftUI)
private struct PhotoRow: View {
    let photo: Photo

    var body: some View { Text(verbatim: photo.title) }
}

private struct PhotoListView: View {
    @State var list: PhotoList

    var body: some View {
        List(list.photos) { photo in PhotoRow(photo: photo) }
            .overlay { if let error = list.error { Text(verbatim: "\(error)") } }
            .task { await list.load() }
            .refreshable { await list.load() }
    }
}
#endif

extension DocumentationSamples {
    private final class Memory: Secrets {
        private let token = Mutex<String?>("first")

        func refreshToken() -> String? { token.withLock { $0 } }
        func save(refreshToken: String) { token.withLock { $0 = refreshToken } }
    }

    private struct Grant: Decodable {
        let access_token: String
        let refresh_token: String
        let expires_in: Int
    }

    @Test @MainActor func recipes() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.target {
            case "/photos": .ok(#"[{"id": 1, "title": "Nest", "image": "images/1"}]"#, headers: [.eTag: "\"1\""])
            case "/token":
                .ok(#"{"access_token": "a", "refresh_token": "second", "expires_in": 60}"#)
            default: .ok(request["Authorization"] ?? "none")
            }
        }
        let service = PhotoService(server.url, cache: ResponseCache())
        #expect(await service.storedPhotos() == nil)
        let list = PhotoList(service)
        await list.load()
        #expect(list.photos.map(\.title) == ["Nest"] && list.error == nil)
        let again = await service.storedPhotos()
        #expect(again?.count == 1)
        #expect(try await service.image(of: list.photos[0]).text() == "none")

        let transfer = service.api.transfer(Request(.get, "photos/archive"))
        while transfer.isRunning { try Task.checkCancellation(); await Task.yield() }
        #expect(transfer.error == nil)

        let secrets = Memory()
        let tokens = TokenAuthenticator { client in
            guard let refresh = secrets.refreshToken() else {
                throw CallError(.authentication, "the user is not signed in", advice: "show the login")
            }
            let grant = try await client.post("token", form: ["refresh_token": refresh]).json(Grant.self)
            secrets.save(refreshToken: grant.refresh_token)
            return AccessToken(grant.access_token, expiresIn: .seconds(grant.expires_in))
        }
        let account = Client(server.url) { $0.authentication = .token(tokens) }
        #expect(try await account.get("me").text() == "Bearer a")
        #expect(secrets.refreshToken() == "second")

        #if canImport(Security)
        struct Keychain: Secrets {
            var item: [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: "photos"] }

            func refreshToken() -> String? {
                var found: CFTypeRef?
                let query = item.merging([kSecReturnData: true]) { $1 }
                guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
                return (found as? Data).map { String(decoding: $0, as: UTF8.self) }
            }

            func save(refreshToken: String) {
                SecItemDelete(item as CFDictionary)
                let data = Data(refreshToken.utf8)
                SecItemAdd(item.merging([kSecValueData: data]) { $1 } as CFDictionary, nil)
            }
        }
        #endif

        let stub = StubTransport {
            $0.on(.get, "/photos").respond(json: [Photo(id: 1, title: "Nest", image: "images/1")])
        }
        let preview = PhotoService("https://api.example.com", cache: ResponseCache(), transport: stub)
        #expect(try await preview.api.get("photos").json([Photo].self).count == 1)
        try await close(service.api)
        try await close(account)
        await server.stop()
    }
}
