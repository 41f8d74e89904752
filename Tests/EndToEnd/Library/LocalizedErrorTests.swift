// LocalizedErrorTests: the text of an error that an alert shows.

import Foundation
import Testing
import Tsubame
import TsubameFoundation
import TsubameTesting

@Suite struct LocalizedErrorTests {
    @Test func theLocalizedDescriptionSaysWhatFailedAndTheAdviceWhatToDo() async throws {
        let dead = try DeadPort()
        defer { withExtendedLifetime(dead) {} }
        do {
            _ = try await Client.shared.get(url: URL(string: dead.url + "/x?token=pa55word") ?? URL(filePath: "/"))
            Issue.record("nobody listens, and somebody answered")
        } catch {
            #expect((error as any Error).localizedDescription.hasPrefix("GET \(dead.url)/x?token=[redacted] failed"))
            #expect(error.recoverySuggestion == "check that the server runs and that the port is right")
        }
    }
}
