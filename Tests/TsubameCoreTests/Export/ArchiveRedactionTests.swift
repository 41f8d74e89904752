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
                headers: [("Cookie", "sid=\"s3cret12\"; theme=dark; bare1234")],
                response: [("Set-Cookie", "sid=s3cret34; Path=/; HttpOnly"), ("X", "s3cret12 or bare1234")]))
        #expect(entry.request.headers[0].value == "sid=[redacted]; theme=[redacted]; [redacted]")
        #expect(
            entry.request.cookies == [
                HTTPArchive.Pair("sid", "[redacted]"), HTTPArchive.Pair("theme", "[redacted]"),
                HTTPArchive.Pair("", "[redacted]"),
            ])
        #expect(entry.response.headers[0].value == "sid=[redacted]; Path=/; HttpOnly")
        #expect(entry.response.headers[1].value == "[redacted] or [redacted]")
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

    @Test(arguments: [
        "token=s3cret12&x=1", "flag&token=s3cret12", "token=s3cret12&x=1\r\n", "a=hello world&token=s3cret12",
        "a=é&token=s3cret12",
    ])
    func `a form is redacted although no type says that it is one`(_ text: String) {
        for type in ["", "text/plain", "application/octet-stream"] {
            let body = HTTPArchive.PostData(mimeType: type, text: text)
            let shown = redacted(entry(body: body)).request.postData?.bytes ?? []
            let expected = text.replacing("s3cret12", with: "[redacted]")
            #expect(String(decoding: shown, as: UTF8.self) == expected, "\(type)")
        }
    }

    @Test func `bytes that are no text are not taken for a form, whatever stands among them`() {
        for picture in [
            Array("x&a=".utf8) + [0, 1, 2], Array("&token=".utf8) + [0xFF, 0xD8], Array("<p>&a=b</p>".utf8),
        ] {
            let content = HTTPArchive.Content(
                mimeType: "image/png", text: Data(picture).base64EncodedString(), encoding: "base64")
            #expect(redacted(entry(content: content)).response.content.bytes == picture)
        }
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

    private func content(_ text: String, _ type: String = "application/json") -> String? {
        redacted(entry(content: HTTPArchive.Content(mimeType: type, text: text))).response.content.text
    }

    @Test(arguments: [
        // A value of null ends with its object, and a broken string with its line.
        ("{\"next_token\":null}\n{\"id\":\"abcdefg\"}", "{\"next_token\":null}\n{\"id\":\"abcdefg\"}"),
        ("data: 5\" disk\n\ndata: {\"token\":\"s3cret12\"}", "data: 5\" disk\n\ndata: {\"token\":\"[redacted]\"}"),
        (
            "data: {\"token\":\"s3cret12\"}\n\ndata: the key is s3cret12",
            "data: {\"token\":\"[redacted]\"}\n\ndata: the key is [redacted]"
        ),
        ("{\"password\":\"s3cret\n12\",\"token\":\"x\"}", "{\"password\":\"[redacted]\",\"token\":\"[redacted]\"}"),
        (#"{"pass\u0077ord":"s3cret12"}"#, #"{"pass\u0077ord":"[redacted]"}"#),
        // JSON and URLs in texts.
        (#"{"body":"{\"token\":\"s3cret12\",\"n\":1}"}"#, #"{"body":"{\"token\":\"[redacted]\",\"n\":1}"}"#),
        (
            #"{"url":"https://a.example/x?Signature=s3cret12&n=1"}"#,
            #"{"url":"https://a.example/x?Signature=[redacted]&n=1"}"#
        ),
        (#"{"url":"https://s3cret12@a.example/","x":"s3cret12"}"#, #"{"url":"https://a.example/","x":"[redacted]"}"#),
        // A number stays a number, and a longer number stays as it is.
        (#"{"code":100000,"size":1000000,"n":100000}"#, #"{"code":0,"size":1000000,"n":0}"#),
        ("{\"url\":\"a b @ c/d\"}", "{\"url\":\"a b @ c/d\"}"),
    ])
    func `JSON loses its secrets and nothing else`(_ text: String, _ shown: String) {
        #expect(content(text, text.hasPrefix("data") ? "text/event-stream" : "application/json") == shown)
    }

    @Test(arguments: [
        ("https://a.example/?to%6Ben=s3cret12", "https://a.example/?to%6Ben=[redacted]"),
        ("https://a.example/?next=/cb?code=s3cret12", "https://a.example/?next=/cb?code=[redacted]"),
        (
            "https://a.example/?to=https%3A%2F%2Fb%3Ftoken%3Ds3cret12",
            "https://a.example/?to=https%3A%2F%2Fb%3Ftoken%3D%5Bredacted%5D"
        ),
        ("https://a.example/?authorization=s3cret12&author=x", "https://a.example/?authorization=[redacted]&author=x"),
        (
            "https://a.example/?payload=%7B%22token%22%3A%22s3cret12%22%7D",
            "https://a.example/?payload=%7B%22token%22%3A%22%5Bredacted%5D%22%7D"
        ),
        ("https://a.example/?q=a%2Fb+c&r=%7Bx%7D", "https://a.example/?q=a%2Fb+c&r=%7Bx%7D"),
    ])
    func `a URL loses the secrets in its values`(_ url: String, _ shown: String) {
        let entry = redacted(entry(url, response: [("X", "s3cret12")]))
        #expect(entry.request.url == shown)
        if url.contains("s3cret12") { #expect(entry.response.headers[0].value == "[redacted]") }
        #expect(!entry.request.queryString.contains { $0.value.contains("s3cret12") })
    }

    @Test func `fields with URLs, and names that are no tokens`() {
        let entry = redacted(
            entry(
                headers: [
                    (":path", "/a?code=1234"), ("X-Authorization", "s3cret12"), ("X-AuthUser", "s3cret34"),
                    ("secret name", "s3cret56"), ("X-Author", "Ann"),
                ],
                response: [
                    ("Link", #"</a?sig=s3cret12>; rel="next", </b>"#), ("Refresh", "0; URL=/a?token=s3cret12"),
                    ("Set-Cookie", "a=1; Path=/\r\nsid=s3cret78"),
                ]))
        #expect(
            entry.request.headers.map(\.value) == ["/a?code=[redacted]"] + Array(repeating: "[redacted]", count: 3) + [
                "Ann"
            ])
        #expect(
            entry.response.headers.map(\.value) == [
                #"</a?sig=[redacted]>; rel="next", </b>"#, "0; URL=/a?token=[redacted]",
                "a=[redacted]; Path=/\nsid=[redacted]",
            ])
    }

    @Test(arguments: [
        "//@ts-check\nimport x from '@scope/pkg'", "registry/app@sha256:0\n# monkey business = fast\n",
        "see https://a.example/?x=1 and a@b.example",
    ])
    func `a text that is no URL stays as it is`(_ text: String) { #expect(content(text, "text/plain") == text) }

    @Test(arguments: [
        ("0; url = 'https://h.example/?token=s3cret12'", "0; url = 'https://h.example/?token=[redacted]'"),
        ("0; https://h.example/?token=s3cret12", "0; https://h.example/?token=[redacted]"),
        ("5", "5"), ("0; url=/next", "0; url=/next"),
    ])
    func `the URL of Refresh is found as browsers find it`(_ value: String, _ shown: String) {
        #expect(redacted(entry(response: [("Refresh", value)])).response.headers[0].value == shown)
    }

    @Test func `a name in capital letters is one word`() {
        let entry = redacted(entry(response: [("WWW-AUTHENTICATE", "Digest realm=x"), ("X-AUTH", "s3cret12")]))
        #expect(entry.response.headers.map(\.value) == ["Digest realm=x", "[redacted]"])
    }

    @Test func `a secret is found in the forms that other programs write`() {
        let secret = "a+b/c&ä"
        let forms = [
            "a%2bb%2fc%26%c3%a4", #"a\u002Bb/c\u0026\u00e4"#, #"a\u002bb/c\u0026\u00e4"#, "a%2Bb%2Fc%26%C3%A4", secret,
        ]
        for form in forms {
            let shown = redacted(
                entry(
                    headers: [("Cookie", "sid=a%2Bb%2Fc%26%C3%A4")],
                    content: HTTPArchive.Content(mimeType: "text/plain", text: "<\(form)>")))
            #expect(shown.response.content.text == "<[redacted]>", "\(form)")
        }
    }

    @Test func `parts without names are redacted by their own type`() {
        let body = "--x\r\nContent-Type: application/json\r\n\r\n{\"token\":\"s3cret12\",\"n\":1}\r\n--x--"
        #expect(content(body, "multipart/mixed; boundary=x") == body.replacing("s3cret12", with: "[redacted]"))
        #expect(content(body, "multipart/form-data; boundary=x")?.contains("\"n\"") == false)
    }

    @Test func `a text in an unknown encoding is withheld`() {
        let shown = redacted(
            entry(
                body: HTTPArchive.PostData(mimeType: "text/plain", text: "token=s3cret12", encoding: "utf-8"),
                content: HTTPArchive.Content(mimeType: "text/plain", text: "not base64!", encoding: "base64")))
        #expect(shown.request.postData?.text == "[redacted]" && shown.response.content.text == "[redacted]")
        #expect(shown.request.postData?.bytes == nil && shown.response.content.bytes == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `BAD-INPUT: a document with a secret name is withheld, and not searched for`() {
        let document = String(repeating: "0123456789", count: 1_000_000)
        let shown = content("{\"qrcode\":\"\(document)\",\"x\":\"0123456789\"}")
        #expect(shown == #"{"qrcode":"[redacted]","x":"0123456789"}"#)
    }

    @Test func `BAD-INPUT: values inside values are read only so deep`() {
        #expect(content("{\"url\":\"/x?u=/y?u=/z?u=/a?u=/b?u=/c?token=s3cret12\"}")?.contains("s3cret12") == false)
        let deep = String(repeating: "[", count: 100_000)
        #expect(content(deep) == deep)
    }
}
