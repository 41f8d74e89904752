// Fetches a URL with URLSession beneath the client, and shows what a client without a transport says.

import Tsubame
import TsubameTesting
import TsubameURLSession

@main struct NoEngine {
    static func main() async throws {
        guard let url = CommandLine.arguments.dropFirst().first else { return print("usage: no-engine URL") }
        let stub = StubTransport { $0.on(.get, "/").respond(text: "stub") }
        _ = try await Client(transport: stub).get(url: url)
        print(try await Client(transport: URLSessionTransport()).get(url: url).text(), terminator: "")
        do throws(CallError) {
            _ = try await Client().get(url: url)
            print("a client without a transport has sent a request")
        } catch {
            print(error.kind)
            print(error)
        }
    }
}
