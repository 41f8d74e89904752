// SuspensionTests: an app is suspended while it shares a database with others.
#if Store
import Foundation
import GRDB
import Testing
import Tsubame
import TsubameStore

@Suite(.timeLimit(.minutes(1))) struct SuspensionTests {
    /// Runs in a process of its own, since every database of the process is suspended.
    @Test func `a suspended jar takes no lock, and stores what it holds afterwards`() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = folder.appending(path: "cookies.sqlite").path
            let jar = try CookieJar(sqlite: path)
            try jar.set("before=1; Max-Age=60", from: "https://www.example.com/")

            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            try? jar.set("meanwhile=1; Max-Age=60", from: "https://www.example.com/")
            #expect(jar.failure != nil)

            NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
            try jar.set("after=1; Max-Age=60", from: "https://www.example.com/")
            #expect(jar.failure == nil)
            #expect(try CookieJar(sqlite: path).cookies.map(\.name) == ["before", "meanwhile", "after"])
        }
    }
}
#endif
