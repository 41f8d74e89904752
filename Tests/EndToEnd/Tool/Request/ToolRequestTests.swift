// ToolRequestTests: the bytes on the wire for given arguments of the tool.
#if Server
import Foundation
import Testing
import TsubameTesting
import TsubameWire

@Suite(.timeLimit(.minutes(2)))
struct ToolRequestTests {
    /// Runs the tool, with `URL` in its arguments standing for the server's, and returns the request that it sent.
    private func sent(
        _ arguments: String..., input: ToolProcess.Input = .null, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ReceivedRequest {
        try await sent(arguments, input: input, sourceLocation: sourceLocation)
    }

    private func sent(
        _ arguments: [String], input: ToolProcess.Input = .null, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ReceivedRequest {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let arguments = arguments.map {
                $0.replacing("URL", with: server.url).replacing("PORT", with: "\(server.port)")
            }
            let run = try await ToolProcess(arguments, input: input).finished()
            #expect(run.status == 0, "\(run)", sourceLocation: sourceLocation)
            #expect(server.requests.count == 1, sourceLocation: sourceLocation)
            return try await server.request(0)
        }
    }

    // MARK: Method and URL

    @Test(arguments: [
        (["URL/a"], "GET"), (["URL", "q==1"], "GET"), (["URL", "X:y"], "GET"), (["URL", "a=b"], "POST"),
        (["URL", "--raw", "x"], "POST"), (["get", "URL"], "GET"), (["delete", "URL"], "DELETE"),
        (["PUT", "URL", "a=b"], "PUT"), (["GET", "URL", "a=b"], "GET"), (["PURGE", "URL"], "PURGE"),
        (["M-SEARCH", "localhost:PORT"], "M-SEARCH"), (["x.y!~", "URL"], "x.y!~"), (["purge", ":PORT"], "purge"),
        (["localhost:PORT", "a=b"], "POST"),
    ])
    func theMethodIsTheOneNamedOrFollowsFromTheBody(words: [String], method: String) async throws {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let words = words.map { $0.replacing("URL", with: server.url).replacing("PORT", with: "\(server.port)") }
            let run = try await ToolProcess(words).finished()
            #expect(run.status == 0, "\(run)")
            #expect(try await server.request(0).method == method)
        }
    }

    @Test(arguments: [
        (":PORT/path", "/path", "localhost"), (":PORT", "/", "localhost"),
        ("localhost:PORT/x?y=1", "/x?y=1", "localhost"),
        ("127.0.0.1:PORT", "/", "127.0.0.1"), ("http://LOCALHOST:PORT/", "/", "localhost"),
        ("a.localhost:PORT/燕 x", "/%E7%87%95%20x", "a.localhost"),
        ("://localhost:PORT/pasted", "/pasted", "localhost"), ("://127.0.0.1:PORT", "/", "127.0.0.1"),
    ])
    func aURLMayBeShort(word: String, target: String, host: String) async throws {
        let request = try await sent(word)
        #expect(request.target == target)
        #expect(request["host"]?.hasPrefix(host + ":") == true)
    }

    @Test func aPublicHostIsAskedByHTTPS() async throws {
        // The name leads to a server that speaks no TLS, which the error shows.
        try await ScriptedServer.start(onConnect: { _ in [.bytes("HTTP/1.1 400 Bad\r\n\r\n"), .close] }).use { server in
            let run = try await tool("example.test", "--resolve", "example.test:443:127.0.0.1:\(server.port)")
            #expect(run.status == 1)
            #expect(run.stderr.contains("GET https://example.test/ failed"))
            #expect(run.stderr.contains("TLS"))
        }
    }

    // MARK: Items

    @Test func theHeadIsWhatWasAskedForInOrder() async throws {
        let request = try await sent(
            "URL/p?a=1", "X-B:2", "x-A: 1 ", "X-B:3", "b==x y", "User-Agent:t", "X-E;", "a==ü&")
        #expect(request.target == "/p?a=1&b=x%20y&a=%C3%BC%26")
        #expect(
            request.headText.components(separatedBy: "\r\n").dropFirst(2).joined(separator: "\n")
                == "X-B: 2\nx-A: 1\nX-B: 3\nUser-Agent: t\nX-E: \nAccept: */*\n"
                + "Accept-Encoding: \(ReceivedCoding.offer)\n\n")
    }

    @Test(arguments: [
        (["=x"], #"{"": "x"}"#), ([":=1", "a=b"], #"{"": 1, "a": "b"}"#), (["-f", "=x", "a=b"], "=x&a=b"),
    ])
    func aMemberMayHaveAnEmptyName(words: [String], body: String) async throws {
        #expect(try await sent(["URL"] + words).text == body)
    }

    @Test(arguments: [
        (["--json", "POST"], "application/json"), (["--form", "PUT"], "application/x-www-form-urlencoded"),
        (["POST"], nil), (["--json", "GET"], "application/json"), (["--json", "DELETE"], "application/json"),
        (["GET"], nil), (["--multipart", "GET"], nil),
    ])
    func aFormatWithoutDataIsStillNamed(words: [String], type: String?) async throws {
        let request = try await sent(words + ["URL"])
        #expect(request["content-type"] == type && request.bodyByteCount == 0)
        if type != nil {
            #expect(try await sent(words + ["URL", "Content-Type:"])["content-type"] == nil)
            #expect(try await sent(words + ["URL", "Content-Type:text/x"])["content-type"] == "text/x")
        }
    }

    @Test func aFieldThatIsUnsetIsNotSent() async throws {
        let request = try await sent("URL", "User-Agent:", "Accept:", "accept-encoding:")
        #expect(request.fields.map(\.name) == ["Host"])
    }

    @Test(arguments: [
        (["Foo:", "Foo:quux"], ["quux"]), (["Foo:bar", "foo:"], []),
        (["Foo:a", "Foo:", "Foo:b", "Foo:c"], ["b", "c"]),
        (["Foo:", "Foo;"], [""]), (["Foo:a", "Foo:", "Foo:b", "Foo:"], []),
    ])
    func `FAULT 26: the last item of a name decides whether the field is sent`(
        items: [String], values: [String]
    ) async throws {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let run = try await ToolProcess([server.url, "User-Agent:"] + items + ["User-Agent:t"]).finished()
            #expect(run.status == 0, "\(run)")
            let request = try await server.request(0)
            #expect(request.values("foo") == values)
            #expect(request.values("user-agent") == ["t"])
        }
    }

    @Test func dataBecomeAJSONObjectInTheirOrder() async throws {
        let request = try await sent(
            "URL", "z=last \"quoted\" \\ 燕", "a:=[1,  2.50,{\"y\":null,\"b\":true}]", "n:=-1e3", "z=again", "b=")
        #expect(
            request.text == #"{"z": "again", "a": [1,  2.50,{"y":null,"b":true}], "n": -1e3, "b": ""}"#)
        #expect(request["content-type"] == "application/json")
        #expect(request["accept"] == "application/json, */*;q=0.5")
        #expect(request["content-length"] == "\(request.body.count)")
    }

    @Test func textIsEscapedAsJSONAsksFor() async throws {
        let request = try await sent("URL", "a=\"\\\n\t\u{1}燕")
        #expect(request.text == #"{"a": "\"\\\n\t\u0001燕"}"#)
    }

    @Test func dataBecomeAFormOnDemand() async throws {
        let request = try await sent("--form", "URL", "a=x y&z=1", "b:=2", "a=燕", "ids[]=1")
        #expect(request.text == "a=x%20y%26z%3D1&b=2&a=%E7%87%95&ids%5B%5D=1")
        #expect(request["content-type"] == "application/x-www-form-urlencoded")
    }

    @Test func simpleJSONHasAPlaceInAForm() async throws {
        let request = try await sent("-f", "URL", #"a:="x \u00fc\n&""#, "b:= 1.50 ", "c:=true", "d:=null")
        #expect(request.text == "a=x%20%C3%BC%0A%26&b=1.50&c=true&d=null")
    }

    @Test func aContentTypeOfTheCallersStays() async throws {
        let request = try await sent("URL", "a=1", "Content-Type:application/vnd.x+json", "Accept:x/y")
        #expect(request.values("content-type") == ["application/vnd.x+json"])
        #expect(request.values("accept") == ["x/y"])
    }

    @Test func backslashesMakeSeparatorsOrdinary() async throws {
        let request = try await sent("URL", #"a\:b=c"#, #"d\=e=f\g\\h"#, #"i=j\@k\=l"#)
        #expect(request.text == #"{"a:b": "c", "d=e": "f\\g\\\\h", "i": "j@k=l"}"#)
    }

    @Test func valuesComeFromFiles() async throws {
        try await withFolder { folder in
            let (text, json) = (folder.appending(path: "t"), folder.appending(path: "j"))
            try Data("燕\n".utf8).write(to: text)
            try Data("{\"b\": 1,\n\"a\": 2}".utf8).write(to: json)
            let request = try await sent(
                "URL", "a=@\(text.path)", "b:=@\(json.path)", "q==@\(text.path)", "X-F:@\(text.path)")
            #expect(request.text == "{\"a\": \"燕\\n\", \"b\": {\"b\": 1,\n\"a\": 2}}")
            #expect(request.query == "q=%E7%87%95")
            #expect(request["x-f"] == "燕")
        }
    }

    @Test func aFileIsTheBody() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "photo.PNG")
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
            try Data(bytes).write(to: file)
            for request in [
                try await sent("URL", "@\(file.path)"), try await sent("PUT", "URL", "--raw", "@\(file.path)"),
            ] {
                #expect(request.body == bytes)
                #expect(request["content-length"] == "300000")
                #expect(request["content-type"] == "image/png")
            }
        }
    }

    @Test func rawTextIsTheBody() async throws {
        let request = try await sent("URL", "--raw", #"{"a":1}"#)
        #expect(request.text == #"{"a":1}"#)
        #expect(request["content-type"] == "application/json")
        #expect(request["accept"] == "application/json, */*;q=0.5")
        #expect(try await sent("URL", "--raw=x", "Content-Type:text/plain")["accept"] == "*/*")
        #expect(try await sent("URL", "--raw=x", "-f")["accept"] == "*/*")
        #expect(try await sent("URL", "--raw=x", "Accept:a/b").values("accept") == ["a/b"])
        #expect(try await sent("URL", "--raw=-x").text == "-x")
        #expect(try await sent("URL", "--raw", "\\@x", "-f")["content-type"] == "application/x-www-form-urlencoded")
    }

    @Test func aPipeCanStandForAFile() async throws {
        for word in ["@PIPE", "--raw=@PIPE"] {
            let pipe = try NamedPipe(Array("from a command".utf8))
            let request = try await sent("URL", word.replacing("PIPE", with: pipe.path))
            #expect(request.text == "from a command")
            #expect(request["content-length"] == "14")
        }
    }

    @Test func jsonCanBeAskedForWithoutABody() async throws {
        let request = try await sent("-j", "URL")
        #expect(request.method == "GET")
        #expect(request["accept"] == "application/json, */*;q=0.5")
        // HTTPie and xh name it as well.
        #expect(request["content-type"] == "application/json")
    }

    // MARK: Transport

    @Test func credentialsGoAsBasicAndNotToAnotherOrigin() async throws {
        try await ScriptedServer.start { _ in .ok() }.use { other in
            try await ScriptedServer.start { _ in .redirect(to: other.url) }.use { server in
                let run = try await tool("-F", "-a", "swallow:p:w 燕", server.url, "X-Mine:1")
                #expect(run.status == 0, "\(run)")
                #expect(try await server.request(0)["authorization"] == "Basic c3dhbGxvdzpwOncg54eV")
                #expect(try await other.request(0)["authorization"] == nil)
            }
        }
    }

    @Test func aHostIsLedToAnotherAddress() async throws {
        let request = try await sent("http://api.example.test:81/x", "--resolve", "API.example.test:81:127.0.0.1:PORT")
        #expect(request["host"] == "api.example.test:81")
        let same = try await sent("http://api.example.test:PORT/", "--resolve", "api.example.test:PORT:127.0.0.1")
        #expect(same.target == "/")
    }

    @Test func certificatesAreCheckedUnlessToldOtherwise() async throws {
        try await withFolder { folder in
            let roots = folder.appending(path: "roots.pem")
            try Data(TestCertificates.authorityPEM.utf8).write(to: roots)
            try await ScriptedServer.start(tls: .localhost) { _ in .ok("secure") }.use { server in
                let url = "https://localhost:\(server.port)/"
                let refused = try await tool(url)
                #expect(refused.status == 1 && refused.stdout.isEmpty)
                #expect(refused.stderr.contains("certificate"))
                #expect(try await tool(url, "--cacert", roots.path).stdout == "secure")
                #expect(try await tool(url, "--verify", "no").stdout == "secure")
                let missing = try await tool(url, "--cacert", roots.path + ".no")
                #expect(missing.status == 1 && missing.stderr.contains("TLS"))
            }
            try await ScriptedServer.start(tls: .wrongHost) { _ in .ok("secure") }.use { server in
                let wrong = try await tool("https://localhost:\(server.port)/", "--cacert", roots.path)
                #expect(wrong.status == 1 && wrong.stderr.contains("for wrong.host, not for localhost"))
            }
        }
    }

    // MARK: Redirects

    @Test func cookiesOfARedirectAreSentOnAndEveryHeadIsShown() async throws {
        try await ScriptedServer.start { request in
            request.path == "/login"
                ? [.bytes("HTTP/1.1 302 Found\r\nLocation: /page\r\nSet-Cookie: id=7\r\nContent-Length: 0\r\n\r\n")]
                : .ok("the page")
        }.use { server in
            let run = try await tool("-F", "-v", server.url + "/login")
            #expect(run.status == 0)
            #expect(try await server.request(1)["cookie"] == "id=7")
            let starts = run.stdout.split(whereSeparator: \.isNewline)
                .filter { $0.hasPrefix("GET ") || $0.hasPrefix("HTTP/1.1 ") }
            #expect(starts == ["GET /login HTTP/1.1", "HTTP/1.1 302 Found", "GET /page HTTP/1.1", "HTTP/1.1 200 OK"])
        }
    }

    @Test(arguments: [
        ("", "The URL is empty."), ("https:/localhost", "is https://localhost meant?"),
        ("http//localhost/x", "is http://localhost/x meant?"), ("ht!tp://127.0.0.1/", "“ht!tp” is no scheme"),
        ("1http://127.0.0.1/", "“1http” is no scheme"), ("mailto:x@127.0.0.1", "HTTP cannot request a mailto: URI"),
        ("MAILTO:x@localhost", "HTTP cannot request a MAILTO: URI"), ("data:,x", "HTTP cannot request a data: URI"),
    ])
    func aBrokenSchemeIsNotTakenForAHost(url: String, words: String) async throws {
        let run = try await tool(url)
        #expect(run.status == 64 && run.stderr.contains(words), "\(run)")
    }

    @Test(arguments: ["http:/u:pa55@word@127.0.0.1", "http//u:pa55@127.0.0.1", "http://u:pa55@word@127.0.0.1"])
    func aPasswordInABrokenURLIsNotRepeated(url: String) async throws {
        let run = try await tool(url)
        #expect(run.status != 0 && !run.shown.contains("pa55"), "\(run)")
    }

    @Test(arguments: [
        (["--default-scheme=https", "localhost:1"], "https://localhost:1/"),
        (["--default-scheme=https", ":1/x"], "https://localhost:1/x"),
        (["--default-scheme", "http", "example.test:1"], "http://example.test:1/"),
        (["--default-scheme", "https", "http://127.0.0.1:1"], "http://127.0.0.1:1/"),
    ])
    func aURLWithoutASchemeGetsTheOneAskedFor(words: [String], url: String) async throws {
        let run = try await ToolProcess(words + ["--resolve", "*:1:127.0.0.1"]).finished()
        #expect(run.status == 1 && run.stderr.contains("GET \(url) failed"), "\(run)")
    }

    @Test func aWordBeforeAURLIsAMethodInWhateverCase() async throws {
        let request = try await sent("propfind", "localhost/", "--resolve", "localhost:80:127.0.0.1:PORT")
        #expect(request.method == "propfind")
    }

    @Test func `FAULT 27: dot segments are removed from a path, unless they are asked for`() async throws {
        #expect(try await sent("URL/a/../b/./c", "--path-as-is").target == "/a/../b/./c")
        #expect(try await sent("URL/a/../b/./c").target == "/b/c")
    }

    @Test func aMissingFileOfCertificatesIsNamed() async throws {
        try await ScriptedServer.start(tls: .localhost) { _ in .ok() }.use { server in
            let run = try await tool("--cacert", "/nowhere/ca.pem", "https://localhost:\(server.port)/")
            #expect(run.status == 1 && run.stderr.contains("cannot be read from /nowhere/ca.pem"), "\(run)")
        }
    }
}

#endif
