// CURLRedactionTests: the parts of a body that a curl line withholds.

import Testing
import Tsubame

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct CURLRedactionTests {
    private static func post(_ body: RequestBody) -> Request { Request(.post, url: "https://a.example/", body: body) }

    /// The line, with its base64 parts decoded.
    private static func text(_ request: Request, showingSecrets: Bool = false) -> String {
        let line = request.curl(showingSecrets: showingSecrets)
        let words = line.split(separator: "'").compactMap { Data(base64Encoded: String($0)) }
        return line + words.map { String(decoding: $0, as: UTF8.self) }.joined()
    }

    @Test("FAULT 13, BAD-INPUT 20: the secret fields of a multipart body are withheld") func multipart() throws {
        for boundary in [nil, "a b"] {
            let request = Self.post(
                .multipart(boundary: boundary) {
                    $0.field("album", "2026")
                    $0.field("password", "s3cret")
                    $0.part("place", .text(#"{"token": "s3cret", "city": "Kyoto"}"#, contentType: "application/json"))
                    $0.part("form", .form(["key": "s3cret", "color": "blue"]))
                    $0.bytes("client_secret", Array("s3cret".utf8), filename: "x.bin")
                    $0.field("a;token", "s3cret")
                    $0.field("a;b", "shown")
                })
            let line = Self.text(request)
            #expect(!line.contains("s3cret"), "\(line)")
            for shown in ["2026", "Kyoto", "blue", "name=\"password\"\r\n\r\n[redacted]\r\n", "shown"] {
                #expect(line.contains(shown), "\(shown) in \(line)")
            }
            let all = Self.text(request, showingSecrets: true)
            #expect(all.split(separator: "s3cret").count == 6, "\(all)")
        }
    }

    @Test(
        "FAULT 13, BAD-INPUT 20: no parameter hides the name of a part",
        arguments: [
            (#"filename="a; name=x"; name="token""#, false), (#"filename="a; name=token"; name="x""#, true),
            (#"filename="a\"; name=x"; name="token""#, false), (#"filename="a\"; name="token""#, false),
            (#"name=x; name="token""#, false), (#"name=x"; name="token""#, false), ("name=token", false),
            ("name=x", true), (#"Name="x"; filename=a"#, true),
        ])
    func partName(parameters: String, isShown: Bool) {
        let body = "--b\r\nContent-Disposition: form-data; \(parameters)\r\n\r\ns3cret\r\n--b--\r\n"
        let request = Self.post(.bytes(Array(body.utf8), contentType: "multipart/form-data; boundary=b"))
        #expect(Self.text(request).contains("s3cret") == isShown, "\(Self.text(request))")
    }

    @Test("FAULT 13, BAD-INPUT 20: bytes that are no text hide no secret beside them") func binary() {
        let request = Self.post(
            .multipart {
                $0.field("password", "s3cret")
                $0.bytes("photo", [0, 255, 1, 254], filename: "a.jpg")
                $0.field("album", "2026")
            })
        let line = Self.text(request)
        #expect(line.contains("| base64 -d |") && line.contains("2026") && !line.contains("s3cret"), "\(line)")
        let form = Self.post(
            .bytes(
                Array("name=".utf8) + [0xE9] + Array("&password=s3cret".utf8),
                contentType: "application/x-www-form-urlencoded"))
        #expect(Self.text(form).contains("password=[redacted]"))
        #expect(!Self.text(form).contains("s3cret"))
    }

    @Test("FAULT 13, BAD-INPUT 20: a body whose names are hidden by a coding is withheld as a whole") func coded() {
        let coded = [
            Self.post(.form(["password": "s3cret"]).compressed()),
            Self.post(.text(#"{"token": "s3cret"}"#, contentType: "application/json").compressed()),
            Self.post(.multipart { $0.field("password", "s3cret") }.compressed()),
            Self.post(
                .bytes(
                    #"{"token": "s3cret"}"#.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] },
                    contentType: "text/json")),
            Self.post(.bytes(Array("--x\r\n\r\ns3cret".utf8), contentType: "multipart/form-data")),
            Self.post(.bytes(Array("s3cret".utf8), contentType: "multipart/form-data; boundary=x")),
        ]
        for request in coded {
            #expect(request.curl.contains("--data-raw '[redacted]'"), "\(request.curl)")
            #expect(!request.curl(showingSecrets: true).contains("[redacted]"))
        }
        let plain = Self.post(.text("hello").compressed())
        #expect(plain.curl == plain.curl(showingSecrets: true))
    }
}
