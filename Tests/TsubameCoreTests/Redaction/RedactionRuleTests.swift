// RedactionRuleTests: the names and URLs whose values are withheld.

import HTTPTypes
import Testing

@testable import TsubameCore

@Suite struct RedactionRuleTests {
    @Test(
        "FAULT 6: the usual names of secrets are withheld, and words that begin like them are not",
        arguments: [
            ("sig", true), ("X-Sig", true), ("sig2", true), ("pwd", true), ("userPwd", true), ("passwd", true),
            ("auth", true), ("X-Auth", true), ("authUser", true), ("auth_user", true), ("jwt", true), ("id_jwt", true),
            ("signature", true), ("apiKey", true), ("author", false), ("authenticate", false), ("signal", false),
            ("design", false), ("q", false), ("passage", false),
        ])
    func names(name: String, isSecret: Bool) {
        #expect(Redaction.standard.isSecret(name) == isSecret)
        let shown = isSecret ? Redaction.placeholder : "s3cret"
        #expect(Redaction.standard.url("https://a.example/?\(name)=s3cret") == "https://a.example/?\(name)=\(shown)")
    }

    @Test func `FAULT 6: the proofs of a proxy are withheld, and challenges are not`() {
        func text(_ name: String) -> String? {
            HTTPField.Name(name).map { Redaction.standard.value(of: HTTPField(name: $0, value: "s3cret")) }
        }
        for name in ["Proxy-Authentication-Info", "Authentication-Info", "X-Auth"] {
            #expect(text(name) == Redaction.placeholder, "\(name)")
        }
        for name in ["WWW-Authenticate", "Proxy-Authenticate"] { #expect(text(name) == "s3cret", "\(name)") }
    }

    @Test func `a reference without a scheme hides as much as one with it`() {
        #expect(
            Redaction.standard.url("/x?token=s3cret&to=http://u:s3cret@b.example/y")
                == "/x?token=[redacted]&to=http://b.example/y")
    }

    @Test(arguments: [
        ("https://user:s3cret@a.example/", "https://a.example/"), ("//user:s3cret@a.example/x", "//a.example/x"),
        ("user:s3cret@a.example/x", "a.example/x"), ("a@b", "a@b"),
        ("https://a.example/?q=1&token=s3cret&x=2", "https://a.example/?q=1&token=[redacted]&x=2"),
        ("https://a.example/#key=s3cret", "https://a.example/#key=[redacted]"),
        ("https://a.example/?token=s3cret#code=s3cret", "https://a.example/?token=[redacted]#code=[redacted]"),
        ("https://a.example/?token", "https://a.example/?token"), ("/x?TOKEN=s3cret", "/x?TOKEN=[redacted]"),
        // More slashes and backslashes are taken for two by browsers, and in references.
        ("http:///user:s3cret@a.example/", "http:///a.example/"),
        ("https:/user:s3cret@a.example/", "https:/a.example/"),
        (#"https:\\user:s3cret@a.example/"#, #"https:\\a.example/"#), ("////u:s3cret@a.example/", "////a.example/"),
        (#"http://\user:s3cret@a.example"#, #"http://\a.example"#), (#"https:/\u:s3cret@h/"#, #"https:/\h/"#),
        ("user:s3cret@a.example/v1//x", "a.example/v1//x"), ("see http://u:s3cret@a.example/", "see http://a.example/"),
        ("/a//b@c", "/a//c"), ("/@b/https://u:s3cret@h/", "/@b/https://h/"),
        ("a@b http://u:s3cret@h/", "a@b http://h/"), ("a.example:80/x@y", "a.example:80/x@y"),
    ])
    func `BAD-INPUT 20: a URL loses its userinfo and the values of secret names`(_ url: String, _ expected: String) {
        #expect(Redaction.standard.url(url) == expected)
        #expect(!Redaction.standard.invalidURL(url).contains("user:s3cret"))
    }

    @Test(arguments: [
        "bob:/s3cret/x@host/", "https:/us/er:s3cret@host/", "https:/s3cret/x@host/", #"bob:\s3cret/x@h"#,
        "/@x/https://u:s3cret@h/", "https://us:s3cret/x@h/",
    ])
    func `BAD-INPUT 20: an invalid URL shows no password with a slash`(_ url: String) {
        #expect(!Redaction.standard.invalidURL(url).contains("s3cret"), "\(Redaction.standard.invalidURL(url))")
    }

    @Test(arguments: [
        (#"{"token": "s3cret", "a": 1}"#, #"{"token": "[redacted]", "a": 1}"#),
        (
            #"{"token": {"a": ["s3cret", 7]}, "b": "shown"}"#,
            #"{"token": {"a": ["[redacted]", "[redacted]"]}, "b": "shown"}"#
        ),
        (#"[{"key": -1.5e3}, "key"]"#, #"[{"key": "[redacted]"}, "key"]"#),
        (#"{"a\"token": "s3cret"}"#, #"{"a\"token": "[redacted]"}"#),
        (#"{"token": true, "b": 2}"#, #"{"token": true, "b": 2}"#),
        // Malformed and truncated JSON hides as much.
        (#"{"token": "s3cret"#, #"{"token": "[redacted]""#),
        (#"}}{"token": "s3cret"]]"#, #"}}{"token": "[redacted]"]]"#),
    ])
    func `BAD-INPUT 20: JSON keeps its shape and loses the values of secret names`(_ text: String, _ expected: String) {
        let output = JSONRedaction(Array(text.utf8)[...], by: .standard).output
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", false, "a=1&key=s3cret", "a=1&key=[redacted]"),
        ("Application/JSON; charset=utf-8", false, #"{"key":"s3cret"}"#, #"{"key":"[redacted]"}"#),
        ("text/plain", false, "key=s3cret", "key=s3cret"), ("text/plain", true, "key=s3cret", "key=s3cret"),
        ("application/json", true, "anything", "[redacted]"),
        ("application/x-www-form-urlencoded", false, "k\0e\0y\0=\0s3cret", "[redacted]"),
        ("multipart/form-data", false, "--b\r\n\r\ns3cret", "[redacted]"),
    ])
    func `BAD-INPUT 20: a body is redacted by its type`(
        _ type: String, _ isCoded: Bool, _ body: String, _ expected: String
    ) {
        var redaction = BodyRedaction(.standard)
        let output = redaction.redacted(Array(body.utf8)[...], type: type, isCoded: isCoded)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }
}
