// KeyValueDemo: a call as a class, sent in four ways and answered by `k=v&…&END`.
#if Server
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPBin
import KeyValueAPI
import Tsubame

/// The answer of every call of that API, which the old code held in a base class.
private struct KeyValueAnswer: Sendable {
    let status: Int
    let message: String
    let expression: String
    let empty: String
    let resultCode: Int
    let messageType: String
    let dateTime: String
    let timings: Timings
}

/// The base class of that API's calls. A subclass sets the method, the query and the body.
private class KeyValueCall: EndpointClass<KeyValueAnswer> {
    /// Called once for each exchange that has ended.
    let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    override var path: RequestPath { "keyvalue" }

    override var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.connect = .seconds(60)
        timeouts.idle = .seconds(60)
        return timeouts
    }

    override func afterResponse(_ response: Response) { onEnd() }

    override func decode(_ response: Response) throws -> KeyValueAnswer {
        let values = try response.keyValues(terminator: "END")
        guard let code = values["resultCode"].flatMap({ Int($0) }) else {
            throw CallError(.decoding, "the answer has no resultCode", phase: .decoding)
        }
        return KeyValueAnswer(
            status: response.statusCode, message: values["message"] ?? "", expression: values["expression"] ?? "",
            empty: values["empty"] ?? "?", resultCode: code, messageType: values["messageType"] ?? "",
            dateTime: values["dateTime"] ?? "", timings: response.timings)
    }
}

private final class GreetingByGet: KeyValueCall {
    override var query: Parameters { ["name": "燕 & co=1"] }
}

private final class GreetingByPost: KeyValueCall {
    override var method: HTTPRequest.Method { .post }
    override var body: RequestBody { .form(["name": "燕 & co=1"]) }
}

struct KeyValueDemo {
    private static let expected =
        "name=%E7%87%95%20%26%20co%3D1&messageType=greeting&dateTime=20100410093005"
        + "&deviceId=5E8A2F0C-7B1D-4C3E-9A61-0F2D4B6C8E10"

    private let server: DemoServer
    private let ledger: DemoLedger
    private let client: Client
    private let ended = Counter()

    init(_ server: DemoServer, _ ledger: DemoLedger) {
        self.server = server
        self.ledger = ledger
        client = Client(server.url) {
            $0.interceptors += [
                // Time and installation id are fixed, so that every byte is known in advance.
                CommonParameters(
                    messageType: "greeting", now: { Date(timeIntervalSince1970: 1_270_891_805) },
                    others: ["deviceId": "5E8A2F0C-7B1D-4C3E-9A61-0F2D4B6C8E10"])
            ]
        }
    }

    func run() async throws {
        let count: @Sendable () -> Void = { [ended] in ended.increase() }
        ledger.title("1. A request and its response as classes: {waiting, asynchronous} × {GET, POST}, typed both ways")
        try await check("waiting, GET", isPost: false, Self.waiting(client, GreetingByGet(onEnd: count)))
        try await check("waiting, POST", isPost: true, Self.waiting(client, GreetingByPost(onEnd: count)))
        try await check("asynchronous, GET", isPost: false, client.send(GreetingByGet(onEnd: count)))
        try await check("asynchronous, POST", isPost: true, client.send(GreetingByPost(onEnd: count)))
        ledger.compare("afterResponse ran once for each call", ended.value, with: 4)

        do {
            _ = try await client.get("keyvalue", query: ["code": 500]).keyValues()
            ledger.compare("a 500 is not decoded", "it was", with: "status")
        } catch {
            ledger.compare("a 500 is not decoded", error.kind.rawValue, with: "status")
        }
        ledger.show(try await server.request("/keyvalue"))
        await client.close()
    }

    /// A synchronous function, as a script or a worker thread would call it.
    private static func waiting(_ client: Client, _ call: KeyValueCall) throws -> KeyValueAnswer {
        try client.blocking.send(call)
    }

    private func check(_ how: String, isPost: Bool, _ answer: KeyValueAnswer) async throws {
        let record = try await server.request("/keyvalue")
        ledger.write("  -- \(how)")
        ledger.show(record)
        if isPost {
            ledger.compare("target", record.target, with: "/keyvalue")
            ledger.compare("body", record.body, with: Self.expected)
            ledger.compare("Content-Type", record["Content-Type"], with: "application/x-www-form-urlencoded")
        } else {
            ledger.compare("target", record.target, with: "/keyvalue?" + Self.expected)
            ledger.compare("a GET has no body", record.bodyByteCount, with: 0)
        }
        ledger.compare("status", answer.status, with: 200)
        ledger.compare("a character cut in two by the network", answer.message, with: "燕は春に来る")
        ledger.compare("a value with = in it", answer.expression, with: "a=b==c")
        ledger.compare("an empty value", answer.empty, with: "")
        ledger.compare("bytes after END are ignored", answer.resultCode, with: 0)
        ledger.compare(
            "messageType and dateTime came back", answer.messageType + answer.dateTime, with: "greeting20100410093005")
        ledger.show(answer.timings)
    }
}

#endif
