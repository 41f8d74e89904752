// APIConnector: checks API calls against httpbin.
// Parameters that are encoded by GET and by POST must come back unchanged.

import Foundation
import Tsubame

let api = Client(CommandLine.arguments.dropFirst().first ?? "https://httpbin.org")

do {
    for method in [HTTPRequest.Method.get, .post] {
        let test = ParameterTest(method: method)
        let sent = test.parameters.sorted().encoded()
        print("\(method) \(sent) (\(sent.utf8.count) bytes)")

        let answer = try await api.send(test)
        let received = method == .get ? answer.args : answer.form ?? [:]
        guard received == ["parameterTestKey": ParameterTest.original] else {
            print("\(method) came back as \(received)")
            exit(1)
        }
        print("\(method) came back as it was, from \(answer.url)")
    }
} catch {
    print(error)
    exit(1)
}
