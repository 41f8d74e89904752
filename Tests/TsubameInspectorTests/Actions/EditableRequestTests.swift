// EditableRequestTests: a request that comes back from the page, with its secrets.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameInspector

@Suite struct EditableRequestTests {
    private func call(
        body: RequestBody = .text("{\"name\":\"swallow\",\"password\":\"hush\"}"), then events: [CallEvent.Kind] = []
    ) -> LoggedCall {
        var request = Request(.post, .url("https://example.com/photos?page=2&token=hush"))
        request.headers["Authorization"] = "Bearer hush"
        request.headers["X-Kind"] = "red"
        request.headers["Content-Type"] = "application/json"
        request.body = body
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 1000)
        for kind in [.started(request), .sent(request)] + events {
            ring.add(CallEvent(call: 1, time: .zero, kind: kind), now: 0)
        }
        return ring[1] ?? LoggedCall(id: 1, started: 0, request: request)
    }

    @Test(arguments: [(5, 5, "hello"), (5, nil, ""), (5, 9, ""), (9, 9, "")] as [(Int64, Int64?, String)])
    func `a recorded body is sent again only if all of it was sent`(sent: Int64, total: Int64?, expected: String) {
        let once = RequestBody.stream(once: AsyncStream<Bytes> { $0.finish() }, contentType: "text/plain")
        let call = call(
            body: once,
            then: [.sending(TransferProgress(bytes: sent, total: total)), .requestBody(Bytes("hello"), at: 0)])
        #expect(text(call.withRecordedBody(call.request)) == expected)
    }

    private func text(_ request: Request) -> String {
        if case .bytes(let bytes) = request.body.content { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    @Test func `what is shown has no secret, and what stays as it was has it again`() async throws {
        let call = call()
        let shown = await EditableRequest(call)
        #expect(!"\(shown)".contains("hush"))
        #expect(shown.method == "POST" && shown.url == "https://example.com/photos?page=2&token=[redacted]")
        #expect(shown.body == "{\"name\":\"swallow\",\"password\":\"[redacted]\"}")
        let same = try shown.request(of: call)
        #expect(same.uri == call.request.uri && same.headers == call.request.headers)
        #expect(text(same) == text(call.request))
        var edited = shown
        edited.method = "PUT"
        edited.headers.removeAll { $0.name == "X-Kind" }
        edited.headers.append(HTTPArchive.Pair("X-Other", "blue"))
        edited.body = "plain"
        edited.url = "https://example.com/photos?page=3"
        let sent = try shown.request(of: call, edited: edited)
        #expect(sent.method == .put && sent.uri?.target == "/photos?page=3")
        #expect(sent.headers["Authorization"] == "Bearer hush")
        #expect(sent.headers["X-Kind"] == nil && sent.headers["X-Other"] == "blue")
        #expect(text(sent) == "plain")
    }

    static let faults: [(String, @Sendable (inout EditableRequest) -> Void)] = [
        (
            "the URL holds a withheld value: leave it as it was, or write the whole value",
            { $0.url = $0.url.replacing("page=2", with: "page=3") }
        ),
        (
            "the body holds a withheld value: leave it as it was, or write the whole value",
            { $0.body = $0.body?.replacing("swallow", with: "eagle") }
        ),
        (
            "the field X-Copy holds a withheld value: leave it as it was, or write the whole value",
            { $0.headers.append(HTTPArchive.Pair("X-Copy", "Bearer [redacted]")) }
        ),
        ("GE T is no method", { $0.method = "GE T" }),
    ]

    @Test(arguments: faults) func `a part that cannot be sent is refused`(
        _ words: String, _ change: @Sendable (inout EditableRequest) -> Void
    ) async {
        let call = call()
        let shown = await EditableRequest(call)
        var edited = shown
        change(&edited)
        #expect { try shown.request(of: call, edited: edited) } throws: { "\($0)" == words }
    }

    static let elsewhere: [(String, @Sendable (inout EditableRequest) -> Void)] = [
        ("the field Authorization holds a withheld value", { _ in }),
        ("the body holds a withheld value", { $0.headers.removeAll { $0.name == "Authorization" } }),
    ]

    @Test(arguments: elsewhere) func `secrets do not go to another origin`(
        _ words: String, _ change: @Sendable (inout EditableRequest) -> Void
    ) async {
        let call = call()
        let shown = await EditableRequest(call)
        for url in ["https://example.org/photos", "http://example.com/photos", "https://example.com:8443/photos"] {
            var edited = shown
            edited.url = url
            change(&edited)
            #expect { try shown.request(of: call, edited: edited) } throws: { "\($0)".hasPrefix(words) }
            edited.headers.removeAll { $0.name == "Authorization" }
            edited.body = "plain"
            #expect(throws: Never.self) { try shown.request(of: call, edited: edited) }
        }
    }

    @Test func `an invalid URL or field is refused`() async {
        let call = call()
        let shown = await EditableRequest(call)
        for change in [
            { (edited: inout EditableRequest) in edited.url = "photos" }, { $0.url = "https://exa mple.com/" },
            { $0.headers.append(HTTPArchive.Pair("X-A", "b\r\nX-C: d")) },
            { $0.headers.append(HTTPArchive.Pair("no name", "b")) },
        ] {
            var edited = shown
            change(&edited)
            #expect(throws: EditableRequest.Problem.self) { try shown.request(of: call, edited: edited) }
        }
    }

    @Test func `a body that the log did not keep has to be given`() async throws {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 4)
        var pending = PendingEvents(limit: 1 << 20, bodyLimit: 4)
        pending.add(CallEvent(call: 1, time: .zero, kind: .started(call().request)), now: 0)
        for entry in pending.take().parts.joined() { ring.add(entry.event, now: entry.now) }
        let call = try #require(ring[1])
        let shown = await EditableRequest(call)
        #expect(shown.body == nil)
        #expect { try shown.request(of: call) } throws: {
            "\($0)" == "the log did not keep the body of this call; give another one"
        }
        var edited = shown
        edited.body = "other"
        #expect(text(try shown.request(of: call, edited: edited)) == "other")
        let once = self.call(body: .stream(once: [Bytes(Array("a".utf8))].async))
        let shownOnce = await EditableRequest(once)
        #expect(throws: EditableRequest.Problem.self) { try shownOnce.request(of: once) }
    }
}

extension Array where Element: Sendable {
    fileprivate var async: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}
