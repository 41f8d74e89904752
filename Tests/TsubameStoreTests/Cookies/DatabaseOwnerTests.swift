// DatabaseOwnerTests: the owner of the cookies in a database, as a cache sees it.
#if Store
import Foundation
import Testing
import Tsubame
import TsubameStore

@Suite(.timeLimit(.minutes(1))) struct DatabaseOwnerTests {
    private let url = "https://www.example.com/"

    @Test func `FAULT 21: the owner is kept in the database, and is another one in a cleared or a new one`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "cookies.sqlite").path
        let first = try CookieJar(sqlite: path, keepsSessionCookies: true)
        let second = try CookieJar(sqlite: path, keepsSessionCookies: true)
        let owner = first.keptOwner
        #expect(second.keptOwner == owner)
        try first.set("user=alice", from: url)
        #expect(second.cookies.map(\.name) == ["user"] && second.keptOwner == owner)

        try first.clear()
        #expect(first.keptOwner != owner)
        #expect(second.cookies.isEmpty && second.keptOwner == first.keptOwner)
        #expect(try CookieJar(sqlite: path, keepsSessionCookies: true).keptOwner == first.keptOwner)

        let other = folder.appending(path: "other.sqlite").path
        #expect(try CookieJar(sqlite: other, keepsSessionCookies: true).keptOwner != first.keptOwner)
    }
}
#endif
