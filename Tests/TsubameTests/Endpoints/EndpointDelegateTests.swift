// EndpointDelegateTests: endpoints by callbacks and delegates, as values and as objects.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@MainActor @Suite(.timeLimit(.minutes(1))) struct EndpointDelegateTests {
    struct Name: Endpoint {
        typealias Value = String
        let path: RequestPath
        func decode(_ response: Response) throws -> String { try response.text() }
    }

    final class NameObject: EndpointClass<String> {
        private(set) var decoded: [String] = []
        override var path: RequestPath { "name" }
        override func decode(_ response: Response) throws -> String { try response.text() }
        override func didDecode(_ value: String, from response: Response) { decoded.append(value) }
    }

    /// Keeps its endpoint, as a view controller would.
    final class Viewer: EndpointDelegate {
        let endpoint = NameObject()
        let ended = Gate()
        private(set) var result: Result<String, CallError>?

        func show(_ client: Client) { client.start(endpoint, delegate: self) }
        func endpoint(_ endpoint: NameObject, didFinish value: String) {
            result = .success(value)
            ended.open()
        }
        func endpoint(_ endpoint: NameObject, didFailWith error: CallError) {
            result = .failure(error)
            ended.open()
        }
    }

    private let client = Client(
        "https://a.example",
        transport: StubTransport {
            $0.on("/name").respond(text: "swallow").respond(text: "martin").respond(status: .notFound)
            $0.on("https://b.example/x").respond(text: "elsewhere")
        })

    private func value(_ start: (@escaping @MainActor @Sendable (Result<String, CallError>) -> Void) -> Void) async
        -> Result<String, CallError>
    {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
    }

    @Test func `a value and an object are started, and their values are decoded`() async throws {
        let plain = await value { client.start(Name(path: "name"), then: $0) }
        #expect(try plain.get() == "swallow")
        let object = NameObject()
        let second = await value { client.start(object, then: $0) }
        #expect(try second.get() == "martin" && object.decoded == ["martin"])
        let third = await value { client.start(object, then: $0) }
        guard case .failure(let error) = third else { throw NoFailure() }
        #expect(error.kind == .status && error.status == .notFound)
    }

    @Test func `an object that a main actor class keeps is sent, and its delegate gets the typed value`() async throws {
        let viewer = Viewer()
        #expect(try await client.send(viewer.endpoint) == "swallow")
        viewer.show(client)
        try await viewer.ended.wait()
        #expect(try viewer.result?.get() == "martin")
    }

    @Test func `an endpoint may name a whole URL`() async throws {
        #expect(try await client.send(Name(path: .url("https://b.example/x"))) == "elsewhere")
    }
}
