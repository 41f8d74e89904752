// PagesTests: pages by Link and by a closure, values by line, and the events of a client as sequences.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct PagesTests {
    private func texts(_ pages: Pages) async throws -> [String] {
        var texts: [String] = []
        for try await page in pages { texts.append(try await page.text()) }
        return texts
    }

    @Test func `pages follow the Link of each response, with the caller's headers`() async throws {
        let stub = StubTransport {
            $0.on("/v1/users").respond(headers: ["Link": "</v1/more?page=2>; rel=\"next\""], text: "one")
            $0.on("/v1/more").respond(headers: ["Link": "<?page=3>; rel=next, <x>; rel=prev"], text: "two").respond(
                text: "three")
        }
        let client = Client("https://a.example/v1", transport: stub)
        #expect(try await texts(client.pages("users", headers: ["X-A": "1"])) == ["one", "two", "three"])
        #expect(stub.requests.map { $0.uri?.target } == ["/v1/users", "/v1/more?page=2", "/v1/more?page=3"])
        #expect(stub.requests.allSatisfy { $0.headers["X-A"] == "1" })
    }

    @Test func `BAD-INPUT 21: at another origin the client's fields and credentials are left out`() async throws {
        let stub = StubTransport {
            $0.on("https://a.example/x").respond(headers: ["Link": "<https://b.example/y>; rel=next"], text: "one")
            $0.on("https://b.example/y").respond(text: "two")
        }
        let client = Client("https://a.example", transport: stub) { $0.headers["X-Api-Key"] = "k" }
        #expect(
            try await texts(client.pages("x", headers: [.authorization: "Bearer t", "X-A": "1"])) == ["one", "two"])
        let last = try #require(stub.requests.last)
        #expect(last.headers[.authorization] == nil && last.headers["X-Api-Key"] == nil && last.headers["X-A"] == "1")
    }

    @Test func `BAD-INPUT 21: a page behind a redirect to another origin names no page with credentials`() async throws
    {
        let stub = StubTransport {
            $0.on("https://a.example/x").respond(status: .found, headers: [.location: "https://b.example/y"])
            $0.on("https://b.example/y").respond(headers: ["Link": "<https://a.example/any>; rel=next"], text: "1")
            $0.on("https://a.example/any").respond(text: "2")
        }
        let client = Client("https://a.example", transport: stub) { $0.authentication = .bearer("t") }
        #expect(try await texts(client.pages("x", headers: [.cookie: "a=1"])) == ["1", "2"])
        #expect(stub.requests.map { $0.headers[.authorization] } == ["Bearer t", nil, nil])
        #expect(stub.requests.map { $0.headers[.cookie] } == ["a=1", nil, nil])
    }

    @Test func `the caller's credentials for another origin stay there on all pages`() async throws {
        let next = { (url: String) -> RequestHeaders in ["Link": "<\(url)>; rel=next"] }
        let stub = StubTransport {
            $0.on("https://c.example/1").respond(headers: next("/2"), text: "1")
            $0.on("https://c.example/2").respond(headers: next("https://a.example/3"), text: "2")
            $0.on("https://a.example/3").respond(headers: next("https://c.example/4"), text: "3")
            $0.on("https://c.example/4").respond(text: "4")
            $0.on("https://c.example/5").respond(status: .found, headers: [.location: "https://b.example/6"])
            $0.on("https://b.example/6").respond(headers: next("https://c.example/4"), text: "6")
        }
        let client = Client("https://a.example", transport: stub)
        let first = Request(.get, url: "https://c.example/1", headers: [.authorization: "Bearer c"])
        #expect(try await texts(client.pages(first)) == ["1", "2", "3", "4"])
        #expect(stub.requests.map { $0.headers[.authorization] } == ["Bearer c", "Bearer c", nil, nil])
        let passing = Request(.get, url: "https://c.example/5", headers: [.authorization: "Bearer c"])
        #expect(try await texts(client.pages(passing)) == ["6", "4"])
        #expect(stub.requests.dropFirst(4).map { $0.headers[.authorization] } == ["Bearer c", nil, nil])
        // Options of the first request may allow both origins.
        let (c, b) = (try #require(Origin("https://c.example")), try #require(Origin("https://b.example")))
        var allowed = passing
        allowed.options { $0.allowedOrigins = [c, b] }
        #expect(try await texts(client.pages(allowed)) == ["6", "4"])
        #expect(stub.requests.dropFirst(7).map { $0.headers[.authorization] } == ["Bearer c", "Bearer c", "Bearer c"])
    }

    @Test(arguments: ["https://a.example", nil])
    func `BAD-INPUT 21: what was left out stays left out on all later pages`(_ base: String?) async throws {
        let next = { (url: String) -> RequestHeaders in ["Link": "<\(url)>; rel=next"] }
        let stub = StubTransport {
            $0.on("https://a.example/x").respond(headers: next("https://b.example/y"), text: "1")
            $0.on("https://b.example/y").respond(headers: next("https://b.example/z"), text: "2")
            $0.on("https://b.example/z").respond(headers: next("https://a.example/end"), text: "3")
            $0.on("https://a.example/end").respond(text: "4")
        }
        let client = Client(base, transport: stub) {
            $0.headers["X-Api-Key"] = "k"
            $0.authentication = .bearer("t")
        }
        let first = Request(.get, url: "https://a.example/x", headers: [.cookie: "a=1"])
        #expect(try await texts(client.pages(first)) == ["1", "2", "3", "4"])
        #expect(stub.requests[0].headers["X-Api-Key"] == "k" && stub.requests[0].headers[.cookie] == "a=1")
        for request in stub.requests.dropFirst() {
            for name in ["X-Api-Key", "Authorization", "Cookie"] { #expect(request.headers[name] == nil, "\(request)") }
        }
        let other = try #require(Origin("https://b.example"))
        let allowed = client.with { $0.allowedOrigins = [other] }
        _ = try await texts(allowed.pages(first))
        #expect(stub.requests.suffix(3).allSatisfy { $0.headers[.cookie] == "a=1" })
    }

    @Test func `the next page gets the user of the URL, and https where the server wants nothing else`() async throws {
        let stub = StubTransport {
            $0.on("https://pages.example/x").respond(headers: ["Link": "</y>; rel=next"], text: "1")
            $0.on("https://pages.example/y").respond(headers: ["Link": "<http://pages.example/z>; rel=next"], text: "2")
            $0.on("https://pages.example/z").respond(headers: ["Link": "<https://b.example/>; rel=next"], text: "3")
            $0.on("https://b.example/").respond(headers: ["Link": "<https://pages.example/end>; rel=next"], text: "4")
            $0.on("https://pages.example/end").respond(text: "5")
        }
        let store = HSTSStore(text: "pages.example \"20991231 23:59:59\"\n")
        let client = Client("https://user:pw@pages.example", transport: stub) { $0.hsts = .store(store) }
        #expect(try await texts(client.pages("x")) == ["1", "2", "3", "4", "5"])
        let basic = "Basic dXNlcjpwdw=="
        #expect(stub.requests.map { $0.headers[.authorization] } == [basic, basic, basic, nil, nil])
    }

    @Test func `the options of the first request hold for all pages`() async throws {
        let stub = StubTransport {
            $0.on("https://a.example/x").respond(headers: ["Link": "<https://b.example/y>; rel=next"], text: "1")
            $0.on("https://b.example/y").respond(text: "2")
        }
        let client = Client("https://a.example", transport: stub)
        let other = try #require(Origin("https://b.example"))
        var request = Request(.get, "x", headers: [.cookie: "a=1"])
        #expect(try await texts(client.pages(request)) == ["1", "2"])
        request.options { $0.allowedOrigins = [other] }
        #expect(try await texts(client.pages(request)) == ["1", "2"])
        #expect(stub.requests.map { $0.headers[.cookie] } == ["a=1", nil, "a=1", "a=1"])
    }

    @Test(arguments: [
        ("<http://a.example/y>; rel=next", "not on https"), ("<ftp://a.example/y>; rel=next", "no http or https"),
        ("</x>; rel=next", "before"), ("<https://a.example:0/>; rel=next", "port"),
    ])
    func `BAD-INPUT 22: a next page that must not or need not be requested ends the pages with an error`(
        _ link: String, _ reason: String
    ) async throws {
        let stub = StubTransport { $0.on("*").respond(headers: ["Link": link], text: "one") }
        let client = Client("https://a.example", transport: stub)
        var pages = client.pages("x").makeAsyncIterator()
        // The page that arrived is given first.
        #expect(try await pages.next()?.bytes == Bytes("one"))
        let error = await callError { _ = try await pages.next() }
        #expect(error?.kind == .redirect || error?.kind == .invalidRequest)
        let none = try await pages.next()
        #expect(none.map { _ in true } == nil)
        #expect(error?.reason.contains(reason) == true, "\(error as Any)")
        #expect(stub.requests.count == 1)
    }

    @Test func `a closure makes the request of the next page, and a status that is not accepted is thrown`()
        async throws
    {
        struct Page: Decodable { let next: Int? }
        let stub = StubTransport {
            $0.on("/users").respond(text: #"{"next": 2}"#).respond(text: #"{"next": 3}"#).respond(status: .notFound)
        }
        let client = Client("https://a.example", transport: stub)
        let pages = client.pages(Request(.get, "users")) { page in
            try page.json(Page.self).next.map { Request(.get, "users", query: ["page": $0]) }
        }
        let error = await callError { _ = try await texts(pages) }
        #expect(error?.kind == .status && stub.requests.count == 3)
        #expect(stub.requests.last?.uri?.target == "/users?page=3")
    }

    @Test func `JSON lines of a path are values, and leaving the loop ends the call`() async throws {
        try await serving(.start { $0.path == "/x" ? .ok("{\"id\":1}\n{\"id\":2}\n") : .status(.notFound) }) {
            _, client in
            struct Plain: Decodable, Equatable, Sendable { let id: Int }
            var ids: [Int] = []
            for try await entry in client.jsonLines("x", of: Plain.self) { ids.append(entry.id) }
            #expect(ids == [1, 2])
            for try await _ in client.jsonLines("x", of: Plain.self) { break }
            let error = await callError { for try await _ in client.jsonLines("y", of: Plain.self) {} }
            #expect(error?.kind == .status && error?.status == .notFound)
            let wrong = await callError { for try await _ in client.jsonLines("x", of: [Int].self) {} }
            #expect(wrong?.kind == .decoding)
        }
    }

    @Test func `events decode their data as the client says`() async throws {
        struct Price: Decodable, Equatable, Sendable { let newPrice: Int }
        let stub = StubTransport {
            $0.on("*").respond(
                headers: [.contentType: "text/event-stream"],
                body: Bytes("data: {\"new_price\": 7}\n\ndata: x\n\n"))
        }
        let client = Client("https://a.example", transport: stub) { $0.json.keys = .snakeCase }
        var events = client.events("x", reconnects: 0).makeAsyncIterator()
        let first = try #require(try await events.next())
        #expect(try first.json(Price.self) == Price(newPrice: 7))
        let second = try #require(try await events.next())
        #expect(throws: CallError.self) { try second.json(Price.self) }
        #expect(first == ServerSentEvent(data: "{\"new_price\": 7}"))
    }

    @Test func `the events of calls are a sequence, in their order`() async throws {
        let client = Client("https://a.example", transport: StubTransport { $0.on("*") })
        var events = client.callEvents.makeAsyncIterator()
        _ = try await client.get("x")
        var kinds: [String] = []
        while let event = await events.next(isolation: nil) {
            kinds.append("\(event.kind)".prefix { $0 != "(" }.description)
            if event.kind.isFinal { break }
        }
        #expect(kinds.first?.hasPrefix("started") == true && kinds.count > 1, "\(kinds)")
        let task = Task { for await _ in client.callEvents {} }
        task.cancel()
        await task.value
    }
}
