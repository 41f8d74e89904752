// PublicNameTests: no public type of the library takes a name that an application's other imports use.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct PublicNameTests {
    @Test func `the library's types are used by name beside Foundation and Observation`() async throws {
        let accepted = try await Compiler.check(
            """
            import Foundation
            import Observation
            import Tsubame

            struct Pages: Endpoint {
                typealias Value = EmptyResponse
                let number: Int
                var path: RequestPath { "pages/\\(number)" }
                var body: RequestBody { .text("x") }
            }

            @Observable final class Model {
                var progress = TransferProgress(bytes: 0, total: 1)
                var subscription: EventSubscription?
                let parent: Progress = Progress(totalUnitCount: 1)
            }

            func read(_ body: ResponseBody, _ hook: some MessageHook, _ interceptor: any Interceptor) -> String {
                Client.version
            }
            """)
        #expect(accepted.accepts, "\(accepted)")
    }

    @Test func `no public type has a name of Foundation, SwiftUI, Combine or Observation`() throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let declaration = /^(?:public|open) (?:final |indirect )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
            .anchorsMatchLineEndings()
        var names: Set<String> = []
        // The tool and its terminal are not imported by applications.
        let sources = root.appending(path: "Sources")
        let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .filter { !["TsubameCLI", "TsubameTerminal"].contains($0) }
        #expect(modules.count >= 10, "the modules are not found")
        for module in modules {
            let folder = sources.appending(path: module)
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                names.formUnion(text.matches(of: declaration).map { String($0.output.1) })
            }
        }
        #expect(names.count > 80, "the declarations are not found")
        #expect(ForeignNames.all.count > 1_000)
        #expect(names.intersection(ForeignNames.all).isEmpty)
    }
}
