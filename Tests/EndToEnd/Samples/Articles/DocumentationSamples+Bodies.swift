// DocumentationSamples: the samples of Bodies.md.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting
import TsubameWire

private struct Flight: Codable, Equatable, Sendable {
    let to: String
    let leaves: Date
}

private struct Search: Codable, Equatable, Sendable {
    let text: String
    let tags: [String]
    let place: Place
}

private struct Place: Codable, Equatable, Sendable {
    let city: String
}

private struct Readings: AsyncSequence, Sendable {
    func makeAsyncIterator() -> AsyncStream<Bytes>.Iterator {
        AsyncStream { continuation in
            for line in ["17.5\n", "18.0\n"] { continuation.yield(Bytes(line)) }
            continuation.finish()
        }.makeAsyncIterator()
    }
}

extension DocumentationSamples {
    @Test func formsAndJSON() async throws {
        let server = try await ScriptedServer.start { request in
            request.method == "GET" ? .json(#"{"to": "Kyoto", "leaves": "2026-11-21T04:35:47Z"}"#) : .status(.created)
        }
        let api = Client(server.url) { $0.json = .iso8601 }
        try await api.post("notes", form: ["text": "50% & more", "page": 2, "draft": true]).accepted()
        try await api.post("flights", json: Flight(to: "Kyoto", leaves: Date())).accepted()
        let flight = try await api.get("flights/1").json(Flight.self)
        #expect(server.requests[0].text == "text=50%25%20%26%20more&page=2&draft=true")
        #expect(server.requests[0]["content-type"] == "application/x-www-form-urlencoded")
        #expect(server.requests[1].text.contains(#/"leaves":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"/#))
        #expect(flight.leaves == Date(timeIntervalSince1970: 1_795_235_747))
        try await close(api)
        await server.stop()
    }

    @Test func namesAndDates() async throws {
        let server = try await ScriptedServer.start { request in
            request.method == "GET" ? .json(#"{"to": "Kyoto", "leaves": "20261121"}"#) : .status(.created)
        }
        let day = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.omitted)  // 20261121
        let api = Client(server.url) {
            $0.json.keys = .snakeCase
            $0.json.dates = .custom(write: { $0.formatted(day) }, read: { try? day.parse($0) })
        }
        let flight = try await api.get("flights/1").json(Flight.self)
        #expect(flight.leaves == Date(timeIntervalSince1970: 1_795_219_200))
        try await api.post("flights", json: flight).accepted()
        #expect(server.requests[1].text.contains(#""leaves":"20261121""#))
        try await close(api)
        await server.stop()
    }

    @Test func parameters() throws {
        let search = Search(text: "a b", tags: ["x", "y"], place: Place(city: "Kyoto"))
        let usual = Parameters(encoding: search)
        print(usual.encoded())  // text=a%20b&tags%5B%5D=x&tags%5B%5D=y&place%5Bcity%5D=Kyoto
        #expect(usual.encoded() == "text=a%20b&tags%5B%5D=x&tags%5B%5D=y&place%5Bcity%5D=Kyoto")

        let coding = ParameterCoding(arrays: .repeated, nesting: .dots, spaces: .plus)
        let other = Parameters(encoding: search, by: coding)
        print(other.encoded())  // text=a+b&tags=x&tags=y&place.city=Kyoto
        let copy = try other.decode(Search.self, by: coding)
        #expect(other.encoded() == "text=a+b&tags=x&tags=y&place.city=Kyoto")
        #expect(copy == search)
    }

    @Test func filesAndParts() async throws {
        let photo = FileManager.default.temporaryDirectory.appending(path: "swallow-\(UUID().uuidString).jpg").path
        try Data(repeating: 7, count: 100_000).write(to: URL(filePath: photo))
        defer { try? FileManager.default.removeItem(atPath: photo) }
        let server = try await ScriptedServer.start { _ in .status(.created) }
        let api = Client(server.url)
        try await api.put("photos/1", body: .file(photo, contentType: "image/jpeg")).accepted()
        let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF]
        let album = RequestBody.multipart {
            $0.field("album", "2026")
            $0.file("photo", at: photo)
            $0.bytes("thumbnail", thumbnail, filename: "small.jpg", contentType: "image/jpeg")
            $0.part("place", .json(["city": "Kyoto"]))
        }
        try await api.post("photos", body: album).accepted()
        #expect(server.requests[0].bodyByteCount == 100_000)
        #expect(server.requests[0]["content-type"] == "image/jpeg")
        let form = server.requests[1]
        #expect(form["content-type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(form["content-length"] == String(form.bodyByteCount) && form.bodyByteCount > 100_000)
        #expect(form.text.contains("name=\"photo\"; filename=\"swallow-") && form.text.contains("image/jpeg"))
        #expect(form.text.contains("name=\"thumbnail\"; filename=\"small.jpg\""))

        // The failure: a file that does not exist.
        await #expect {
            _ = try await api.put("photos/1", body: .file("/no/such/file"))
        } throws: {
            ($0 as? CallError)?.kind == .requestBody
        }
        try await close(api)
        await server.stop()
    }

    @Test func streamedUpload() async throws {
        let server = try await ScriptedServer.start { _ in .status(.created) }
        let api = Client(server.url)
        let readings = RequestBody.stream(contentType: "text/plain") { Readings() }
        try await api.post("readings", body: readings).accepted()
        let request = try await server.request(0)
        #expect(request.text == "17.5\n18.0\n" && request.isChunked)
        #expect(readings.canBeSentAgain)
        try await close(api)
        await server.stop()
    }

    @Test func partOfAWhole() async throws {
        let server = try await ScriptedServer.start { request in
            [
                .bytes(
                    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4\r\n\r\n0123")
            ]
        }
        let api = Client(server.url)
        var request = Request(.get, "digits")
        request.ask(for: .bytes(0...3))
        let response = try await api.send(request)
        print(response.contentRange?.total ?? 0)  // 10
        for range in try await response.ranges() { print(range.positions) }  // 0...3
        let positions = try await response.ranges().map(\.positions)
        #expect(positions == [0...3])
        #expect(response.contentRange?.total == 10 && response.bytes.count == 4)
        #expect(server.requests[0]["range"] == "bytes=0-3")
        try await close(api)
        await server.stop()
    }
}
