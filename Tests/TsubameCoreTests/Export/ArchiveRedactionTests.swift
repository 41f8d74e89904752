// ArchiveRedactionTests: what an archive withholds, and what it keeps so that an exchange can be replayed.

import Foundation
import Testing
import TsubameCore

@Suite struct ArchiveRedactionTests {
    private func entry(
        _ url: String = "https://a.example/", headers: [(String, String)] = [], body: HTTPArchive.PostData? = nil,
        response: [(String, String)] = [], content: HTTPArchive.Content = HTTPArchive.Content()
    ) -> HTTPArchive.Entry {
        HTTPArchive.Entry(
            startedDateTime: "2026-11-21T04:35:48.000Z",
            request: HTTPArchive.Request(
                method: "POST", url: url, headers: headers.map { HTTPArchive.Pair($0.0, $0.1) }, postData: body),
            response: HTTPArchive.Response(
                status: 200, headers: response.map { HTTPArchive.Pair($0.0, $0.1) }, content: content))
    }

    private func redacted(_ entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
        var (entry, redaction) = (entry, ArchiveRedaction())
        redaction.redact(&entry, by: .standard)
        redaction.scrub(&entry)
        return entry
    }

    @Test func `cookies keep their names and attributes`() {
        let entry = redacted(
            entry(
                headers: [("Cookie", "sid=\"s3cret12\"; theme=dark; bare")],
                response: [("Set-Cookie", "sid=s3cret34; Path=/; HttpOnly"), ("X", "the sid is s3cret12")]))
        #expect(entry.request.headers[0].value == "sid=[redacted]; theme=[redacted];[redacted]")
        #expect(
            entry.request.cookies == [
                HTTPArchive.Pair("sid", "[redacted]"), HTTPArchive.Pair("theme", "[redacted]"),
                HTTPArchive.Pair("", "[redacted]"),
            ])
        #expect(entry.response.headers[0].value == "sid=[redacted]; Path=/; HttpOnly")
        #expect(entry.response.headers[1].value == "the sid is [redacted]")
        #expect(entry.response.cookies == [HTTPArchive.Pair("sid", "[redacted]")])
    }

    @Test func `the lists that repeat a URL are made of the redacted one`() {
        let entry = redacted(
            entry(
                "https://ann:s3cret12@a.example/x?token=s3cret34&q=a+b%21&flag",
                response: [("Location", "/next?key=s3cret34")]))
        #expect(entry.request.url == "https://a.example/x?token=[redacted]&q=a+b%21&flag")
        #expect(
            entry.request.queryString == [
                HTTPArchive.Pair("token", "[redacted]"), HTTPArchive.Pair("q", "a b!"), HTTPArchive.Pair("flag", ""),
            ])
        #expect(entry.response.redirectURL == "/next?key=[redacted]")
    }

    @Test func `a number stays a number, and a password in Basic credentials is known`() {
        let credentials = Data("ann:s3cret:12".utf8).base64EncodedString()
        let entry = redacted(
            entry(
                headers: [("Authorization", "Basic \(credentials)")],
                body: HTTPArchive.PostData(mimeType: "text/plain", text: #" {"code": 123456, "n": 1}"#),
                content: HTTPArchive.Content(
                    mimeType: "text/html", text: "<p>s3cret:12 \(credentials) 123456</p>")))
        #expect(entry.request.headers[0].value == "[redacted]")
        #expect(entry.request.postData?.text == #" {"code": 0, "n": 1}"#)
        #expect(entry.response.content.text == "<p>[redacted] [redacted] [redacted]</p>")
        #expect(entry.response.content.size == 39)
    }

    @Test func `a secret in bytes that are no text is found, and a coded body is withheld`() throws {
        var bytes = Data([0xFF, 0xFE])
        bytes.append(Data("s3cret12".utf8))
        let entry = redacted(
            entry(
                headers: [("X-Api-Key", "s3cret12")],
                body: HTTPArchive.PostData(mimeType: "text/html", text: "H4sI", encoding: "base64", isCoded: true),
                content: HTTPArchive.Content(
                    mimeType: "image/png", text: bytes.base64EncodedString(), encoding: "base64")))
        #expect(entry.request.postData?.text == "[redacted]" && entry.request.postData?.encoding == nil)
        let content = try #require(entry.response.content.bytes)
        #expect(content == [0xFF, 0xFE] + Array("[redacted]".utf8))
    }

    @Test func `a word that names secrets is no secret`() {
        let entry = redacted(
            entry(
                body: HTTPArchive.PostData(
                    mimeType: "application/x-www-form-urlencoded", text: "password=password&token=[redacted]"),
                content: HTTPArchive.Content(text: "the password is [redacted]")))
        #expect(entry.request.postData?.text == "password=[redacted]&token=[redacted]")
        #expect(entry.response.content.text == "the password is [redacted]")
    }

    @Test func `redaction is the same the second time`() {
        let once = redacted(
            entry(
                "https://ann:pass@a.example/x?token=1&x=%5Bredacted%5D",
                headers: [("Cookie", "a=b"), ("Authorization", "x")],
                body: HTTPArchive.PostData(mimeType: "application/json", text: #"{"key": [1, "two", {"a": null}]}"#)))
        #expect(redacted(once) == once)
    }
}
