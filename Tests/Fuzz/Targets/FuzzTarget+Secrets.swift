// FuzzTarget+Secrets: redaction. No text that is shown or recorded holds a secret, for any bytes beside it.

import Foundation
import HTTPTypes
import TsubameCore

extension FuzzTarget {
    private static let secret = "Rauchschwalbe-7Q!"
    /// Bytes that hold a part of the secret themselves say nothing about redaction.
    private static let sign = "Rauch"

    private static func requireHidden(_ shown: some Collection<UInt8>, _ place: String) throws(Finding) {
        let text = String(decoding: shown, as: UTF8.self)
        try require(!text.contains(secret), "the secret is shown in \(place): \(text)")
    }

    /// A body as a recording keeps it.
    private static func redacted(_ body: [UInt8], type: String) throws(Finding) -> [UInt8] {
        var request = HTTPArchive.Request(
            method: "POST", url: "https://origin.test/",
            postData: .init(mimeType: type, text: Data(body).base64EncodedString(), encoding: "base64"))
        var redaction = ArchiveRedaction()
        redaction.redact(&request, by: .standard)
        guard let shown = request.postData?.bytes else { throw Finding("the body cannot be read any more") }
        return shown
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }

    private static func checkURL(_ bytes: [UInt8]) throws(Finding) {
        let text = String(decoding: bytes, as: UTF8.self)
        // A path that holds no parameters of its own.
        let path = String(decoding: bytes.filter { !"/?#&=".utf8.contains($0) }, as: UTF8.self)
        for url in [
            "https://origin.test/?\(text)&password=\(secret)&\(text)", "https://user:\(secret)@origin.test/\(text)",
            "//\(secret)@origin.test?\(text)", "/\(path)?token=\(secret)",
        ] {
            try requireHidden(Redaction.standard.url(url).utf8, "a URL")
        }
    }

    private static func checkForm(_ bytes: [UInt8]) throws(Finding) {
        let body = bytes + "&password=\(secret)&".utf8 + bytes
        try requireHidden(try redacted(body, type: "application/x-www-form-urlencoded"), "a form")
    }

    private static func checkJSON(_ bytes: [UInt8]) throws(Finding) {
        guard isJSON(bytes) else {
            _ = try redacted(bytes, type: "application/json")
            return
        }
        for value in ["\"\(secret)\"", "[0, {\"a\": \"\(secret)\"}]"] {
            let body = Array("{\"a\": ".utf8) + bytes + ", \"password\": \(value), \"b\": ".utf8 + bytes + "}".utf8
            // JSON may be too deep only when it stands in other JSON.
            guard isJSON(body) else { return }
            let shown = try redacted(body, type: "application/json")
            try requireHidden(shown, "JSON")
            try require(isJSON(shown), "the redacted JSON is none: \(String(decoding: shown, as: UTF8.self))")
        }
    }

    private static func checkMultipart(_ bytes: [UInt8]) throws(Finding) {
        let part = "\r\n--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret)\r\n--b"
        let body = Array("--b".utf8) + bytes + part.utf8 + bytes
        try requireHidden(try redacted(body, type: "multipart/form-data; boundary=b"), "a multipart body")
    }

    /// A server repeats a secret of the request at any place of its response.
    private static func checkEcho(_ bytes: [UInt8], _ choice: UInt8) throws(Finding) {
        let types = [
            "text/plain", "application/json", "text/event-stream", "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=b",
        ]
        let body = bytes + secret.utf8 + bytes
        let text = String(decoding: bytes, as: UTF8.self)
        var entry = HTTPArchive.Entry(
            startedDateTime: "",
            request: .init(
                method: "GET", url: "https://origin.test/?password=\(secret)",
                headers: [
                    .init("Cookie", "\(text); id=\(secret)"), .init("Referer", "//a:\(secret)@origin.test/\(text)"),
                ]),
            response: .init(
                status: 200,
                headers: [
                    .init("Set-Cookie", "id=\(secret); \(text)"), .init("Location", "/?token=\(secret)&\(text)"),
                    .init("X-Echo", text + secret),
                ],
                content: .init(
                    mimeType: types[Int(choice) % types.count], text: Data(body).base64EncodedString(),
                    encoding: "base64")))
        var redaction = ArchiveRedaction()
        redaction.redact(&entry, by: .standard)
        redaction.scrub(&entry)
        guard let shown = entry.response.content.bytes else { throw Finding("the body cannot be read any more") }
        try requireHidden(shown, "the body of a response")
        try requireHidden("\(entry)".utf8, "an entry")
    }

    static let secrets = [
        // The first byte chooses the kind of text.
        FuzzTarget("redaction", upTo: 1_024) { bytes in
            guard let first = bytes.first else { return }
            let bytes = Array(bytes.dropFirst())
            guard !String(decoding: bytes, as: UTF8.self).contains(sign) else { return }
            switch first % 5 {
            case 0: try checkURL(bytes)
            case 1: try checkForm(bytes)
            case 2: try checkJSON(bytes)
            case 3: try checkMultipart(bytes)
            default: try checkEcho(bytes, first / 5)
            }
        }
    ]
}
