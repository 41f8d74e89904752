// APIConnector: checks API calls against httpbin.
// Parameters that are encoded by GET and by POST must come back unchanged.

import Foundation
import Tsubame

/// Checks one method after the other.
final class ParameterCheck: APIConnector<ParameterTest> {
    private var methods: [HTTPRequest.Method] = [.get, .post]

    func next() {
        guard !methods.isEmpty else { exit(0) }
        let test = ParameterTest(method: methods.removeFirst())
        let sent = test.parameters.sorted().encoded()
        print("\(test.method) \(sent) (\(sent.utf8.count) bytes)")
        startConnection(test)
    }

    override func connectionSuccess(_ answer: ParameterTest.Value, of test: ParameterTest) {
        let received = test.method == .get ? answer.args : answer.form ?? [:]
        guard received == ["parameterTestKey": ParameterTest.original] else {
            print("\(test.method) came back as \(received)")
            exit(1)
        }
        print("\(test.method) came back as it was, from \(answer.url)")
        next()
    }

    override func connectionFailed(_ error: CallError) {
        print(error)
        exit(1)
    }
}

let api = Client(CommandLine.arguments.dropFirst().first ?? "https://httpbin.org")
let check = ParameterCheck(api)
check.next()
dispatchMain()
