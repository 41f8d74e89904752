// KeyValueDemo: a call as a class, sent in four ways and answered by `k=v&…&END`.
#if Server && XML
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
    /// Called once for each answer, when its typed fields are there.
    let onEnd: @Sendable (KeyValueAnswer) -> Void

    init(onEnd: @escaping @Sendable (KeyValueAnswer) -> Void) { self.onEnd = onEnd }

    /// The kind of this call, which wins over that of the client.
    var messageType: String { "greeting" }

    override var path: RequestPath { "keyvalue" }

    override var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.connect = .seconds(60)
        timeouts.idle = .seconds(60)
        return timeouts
    }

    override func didDecode(_ answer: KeyValueAnswer, from response: Response) { onEnd(answer) }

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
    override var query: Parameters { ["name": "燕 & co=1", "messageType": messageType] }
}

private final class GreetingByPost: KeyValueCall {
    override var method: HTTPRequest.Method { .post }
    override var body: RequestBody { .form(["name": "燕 & co=1", "messageType": messageType]) }
}

/// Receives the end of every call, synchronous ones too, and can wait for the next.
@MainActor
private final class CallListener: EndpointDelegate {
    private let outcomes: AsyncStream<Result<KeyValueAnswer, CallError>>
    private let sink: AsyncStream<Result<KeyValueAnswer, CallError>>.Continuation
    /// Which calls have ended, as the delegate methods read it from the call that they are handed.
    private(set) var ends: [String] = []

    init() { (outcomes, sink) = AsyncStream.makeStream() }

    func endpoint(_ call: KeyValueCall, didFinish answer: KeyValueAnswer) {
        ends.append("\(call.method) succeeded")
        sink.yield(.success(answer))
    }

    func endpoint(_ call: KeyValueCall, didFailWith error: CallError) {
        ends.append("\(call.method) failed")
        sink.yield(.failure(error))
    }

    /// Blocks this thread until the call has ended.
    func wait(for call: KeyValueCall, _ client: Client) {
        do throws(CallError) {
            endpoint(call, didFinish: try client.blocking.send(call))
        } catch {
            endpoint(call, didFailWith: error)
        }
    }

    func next() async throws -> KeyValueAnswer {
        for await outcome in outcomes { return try outcome.get() }
        throw CallError(.cancelled, "the call gave no answer")
    }
}

/// A call that the server answers with 500.
private final class Refused: KeyValueCall {
    override var query: Parameters { ["code": 500] }
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
        client = server.watched(
            Client(server.url) {
                $0.interceptors += [
                    // Time and installation id are fixed, so that every byte is known in advance.
                    CommonParameters(
                        messageType: "viewer", now: { Date(timeIntervalSince1970: 1_270_891_805) },
                        others: ["deviceId": "5E8A2F0C-7B1D-4C3E-9A61-0F2D4B6C8E10"])
                ]
            })
    }

    func run() async throws {
        let count: @Sendable (KeyValueAnswer) -> Void = { [ended] in if $0.resultCode == 0 { ended.increase() } }
        ledger.title("1. A request and its response as classes: {waiting, asynchronous} × {GET, POST}, and a delegate")
        let listener = await CallListener()
        try await check("waiting, GET", isPost: false, Self.waiting(client, GreetingByGet(onEnd: count), listener))
        try await check("waiting, POST", isPost: true, Self.waiting(client, GreetingByPost(onEnd: count), listener))
        try await check(
            "asynchronous, GET", isPost: false, Self.reported(client, GreetingByGet(onEnd: count), listener))
        try await check(
            "asynchronous, POST", isPost: true, Self.reported(client, GreetingByPost(onEnd: count), listener))
        ledger.compare("each call was told once of its typed answer", ended.value, with: 4)

        do {
            _ = try await Self.reported(client, Refused(onEnd: count), listener)
            ledger.compare("a 500 is not decoded", "it was", with: "status")
        } catch let error as CallError {
            ledger.compare("a 500 is not decoded", error.kind.rawValue, with: "status")
        }
        ledger.show(try await server.request("/keyvalue"))
        ledger.compare(
            "the delegate read each call from what it was handed", await listener.ends.joined(separator: ", "),
            with: "GET succeeded, POST succeeded, GET succeeded, POST succeeded, GET failed")
        await client.close()
    }

    /// Sends a call on this thread. The delegate is told as of an asynchronous call.
    @MainActor
    private static func waiting(
        _ client: Client, _ call: KeyValueCall, _ listener: CallListener
    ) async throws -> KeyValueAnswer {
        listener.wait(for: call, client)
        return try await listener.next()
    }

    /// Starts a call whose end the delegate is told of.
    @MainActor
    private static func reported(
        _ client: Client, _ call: KeyValueCall, _ listener: CallListener
    ) async throws -> KeyValueAnswer {
        client.start(call, delegate: listener)
        return try await listener.next()
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
