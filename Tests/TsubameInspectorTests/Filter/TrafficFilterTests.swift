// TrafficFilterTests: the filter language, over a table of terms.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameInspector

@Suite struct TrafficFilterTests {
    private let call: LoggedCall

    init() throws {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 1000)
        var request = Request(.post, .url("https://api.example.com/v1/photos?page=2&token=hush"))
        request.headers["X-Kind"] = "red fox"
        request.headers["Authorization"] = "Bearer hush"
        request.body = .text("asked")
        var response = Response(status: .serviceUnavailable, headers: [.contentType: "text/html; charset=utf-8"])
        response.headers.append(HTTPField(name: .server, value: "Nest"))
        let kinds: [CallEvent.Kind] = [
            .started(request), .sent(request), .headReceived(response), .responseBody(Bytes("Swallow 燕"), at: 0),
            .receiving(TransferProgress(bytes: 20_000, total: nil)), .decision("the breaker is open"),
            .failed(CallError(.status, "503 Service Unavailable")),
        ]
        for (index, kind) in kinds.enumerated() {
            ring.add(CallEvent(call: 9, time: .milliseconds(index * 50), kind: kind), now: 0)
        }
        call = try #require(ring[9])
    }

    static let table: [(String, Bool)] = [
        ("", true), ("   ", true), ("method:post", true), ("method:GET", false), ("status:503", true),
        ("status:5xx", true),
        ("status:4xx", false), ("status:>=500", true), ("status:<500", false), ("status:>503", false),
        ("host:EXAMPLE", true), ("host:other", false), ("path:photos", true), ("path:page=2", true),
        ("type:html", true),
        ("type:json", false), ("header:x-kind", true), ("header:X-Kind=fox", true), ("header:x-kind=cat", false),
        ("header:server=nest", true), ("header:missing", false), ("body:swallow", true), ("body:燕", true),
        ("body:asked", true), ("body:eagle", false), ("error:", true), ("error:503", true), ("error:timeout", false),
        ("duration:>200ms", true), ("duration:>1s", false), ("duration:<=0.3s", true), ("size:>10k", true),
        ("size:<10k", false), ("id:9", true), ("id:10", false), ("swallow", true), ("breaker", true), ("fox", true),
        ("eagle", false), ("\"red fox\"", true), ("header:\"x-kind=red fox\"", true), ("!eagle", true),
        ("!!eagle", false),
        ("method:post & status:5xx", true), ("method:post status:4xx", false), ("status:4xx | status:5xx", true),
        ("eagle | swallow & method:get", false), ("(eagle | swallow) & method:post", true),
        ("!(eagle | swallow)", false),
        // Secrets are not found, neither in the URL nor in a field.
        ("path:hush", false), ("header:authorization=hush", false), ("hush", false), ("header:authorization", true),
    ]

    @Test func `the fields of an interceptor's own answer are found`() throws {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 1000)
        let request = Request(.get, url: "http://example.com")
        let response = Response(status: .ok, headers: [.server: "mock"], request: request)
        for kind in [.started(request), .finished(response)] as [CallEvent.Kind] {
            ring.add(CallEvent(call: 1, time: .zero, kind: kind), now: 0)
        }
        let call = try #require(ring[1])
        #expect(try TrafficFilter("header:server=mock").matches(call) && TrafficFilter("mock").matches(call))
    }

    @Test(arguments: table) func `a filter finds the call or not`(_ text: String, _ isFound: Bool) throws {
        #expect(try TrafficFilter(text).matches(call) == isFound)
    }

    @Test(arguments: [
        ("(a", 3), ("a)", 2), ("a &", 4), ("| a", 1), ("!", 2), ("status:abc", 1), ("x status:9zz", 3),
        ("duration:>5h", 1),
        ("\"open", 6), ("header:", 1), ("nonsense:1", 1), ("id:-1", 1),
        (String(repeating: "a ", count: 200_000), 401), (String(repeating: "a|", count: 300) + "a", 401),
        (String(repeating: "(", count: 60) + "a", 51), (String(repeating: "!", count: 1000) + "a", 51),
    ])
    func `a fault is named with its place`(_ text: String, _ position: Int) {
        let problem = #expect(throws: TrafficFilter.Problem.self) { try TrafficFilter(text) }
        #expect(problem?.position == position)
    }
}
