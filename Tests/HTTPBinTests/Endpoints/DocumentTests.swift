// DocumentTests: documents, images, links and base64 texts.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DocumentTests {
    @Test(arguments: [
        ("/html", "text/html; charset=utf-8", "<h1>"), ("/xml", "application/xml", "</slideshow>"),
        ("/json", "application/json", "\"title\": \"Sample Slide Show\""),
        ("/forms/post", "text/html; charset=utf-8", "action=\"/post\""),
        ("/encoding/utf8", "text/html; charset=utf-8", "燕"),
        ("/robots.txt", "text/plain", "Disallow: /deny\n"), ("/deny", "text/plain", "YOU SHOULDN'T BE HERE"),
        ("/image/svg", "image/svg+xml", "<polygon"),
    ])
    func aDocumentIsWhatItsTypeSays(path: String, type: String, text: String) async throws {
        try await withServer { server async throws in
            let answer = try await server.get(path)
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == type)
            #expect(answer.text.contains(text))
        }
    }

    @Test(arguments: [
        ("/image/png", "image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] as [UInt8]),
        ("/image/jpeg", "image/jpeg", [0xFF, 0xD8, 0xFF]), ("/image/webp", "image/webp", Array("RIFF".utf8)),
        ("/static/favicon.ico", "image/vnd.microsoft.icon", [0, 0, 1, 0]),
    ])
    func anImageIsWhatItsTypeSays(path: String, type: String, signature: [UInt8]) async throws {
        try await withServer { server async throws in
            let answer = try await server.get(path)
            #expect(answer["Content-Type"] == type)
            #expect(answer.body.starts(with: signature))
        }
    }

    @Test(arguments: [
        ("image/webp", "image/webp"), ("image/png, image/svg+xml", "image/svg+xml"), ("IMAGE/JPEG", "image/jpeg"),
        ("text/html, image/*", "image/png"), ("text/html", "application/json"), ("*/*", "application/json"),
    ])
    func anImageComesInATypeThatIsAccepted(accept: String, type: String) async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/image", "Accept: \(accept)")
            #expect(answer["Content-Type"] == type)
            #expect(answer.status == (type == "application/json" ? 406 : 200))
            #expect(try await server.get("/image")["Content-Type"] == "image/png")
        }
    }

    @Test(arguments: [
        ("SFRUUEJJTiBpcyBhd2Vzb21l", "HTTPBIN is awesome"), ("54eV", "燕"), ("8J-Qpg==", "🐦"), ("8J+Qpg==", "🐦"),
        ("YW.Jj", "abc"), ("YWI=", "ab"), ("YQ==YQ==", "a"), ("=", ""),
    ])
    func base64IsDecodedFromEitherAlphabet(value: String, text: String) async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/base64/\(value)").text == text)
        }
    }

    @Test(arguments: ["Y", "YQ", "YQ=", "_w==", "gIA="])
    func base64ThatIsNoneIsSaidToBe(value: String) async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/base64/\(value)").text.hasPrefix("Incorrect Base64 data"))
        }
    }

    @Test func aPageLinksToAllTheOthers() async throws {
        try await withServer { server async throws in
            let first = try await server.get("/links/3")
            #expect(first.status == 302)
            #expect(first["Location"] == "/links/3/0")
            let page = try await server.get("/links/3/1").text
            #expect(page.contains("href=\"/links/3/0\"") && page.contains("href=\"/links/3/2\""))
            #expect(!page.contains("href=\"/links/3/1\""))
            #expect(try await server.get("/links/9999/0").text.split(separator: "<a ").count == 200)
        }
    }

    @Test func brotliIsWhatItSaysOrIsRefused() async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/brotli")
            if answer.status == 200 {
                #expect(answer["Content-Encoding"] == "br")
                #expect(!answer.body.isEmpty)
            } else {
                #expect(answer.status == 501)
                #expect(answer.text.contains("libbrotlienc"))
            }
        }
    }

    @Test func bytesComeInChunksOfTheSizeAskedFor() async throws {
        try await withServer { server async throws in
            let whole = try await server.get("/bytes/25?seed=7").body
            let answer = try await server.get("/stream-bytes/25?seed=7&chunk_size=10")
            #expect(answer.chunks.map(\.count) == [10, 10, 5])
            #expect(answer.body == whole)
            #expect(try await server.get("/stream-bytes/3?chunk_size=-9").chunks.count == 3)
            #expect(try await server.get("/stream-bytes/0").body.isEmpty)
        }
    }
}

#endif
