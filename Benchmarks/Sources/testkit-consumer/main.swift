// A program that uses the test kit without the trait TestServer, as a test of a user would: stubs and a recording.

import Foundation
import Tsubame
import TsubameTesting

let stub = StubTransport {
    $0.on(.get, "/users/1").respond(text: "ada")
}
let file = FileManager.default.temporaryDirectory.appending(path: "testkit-\(UUID().uuidString).har")
defer { try? FileManager.default.removeItem(at: file) }
for mode in [Recorder.Mode.record, .replay] {
    let recorder = Recorder(file: file.path, mode: mode, over: mode == .record ? stub : nil)
    try await withClient("https://api.example.com", transport: recorder) { client in
        let text = try await client.get("users/1").text()
        guard text == "ada" else { throw CallError(.misuse, "the \(mode) answered \(text)") }
    }
    try await recorder.assertAllUsed()
}
try stub.assertAllUsed()
print("the test kit records and replays without the packages of its servers")
