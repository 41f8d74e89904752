// ToolBodyFramingTests: request bodies of the tool: compressed, chunked, or with a given boundary; and options of
// files.
#if Server
import Foundation
import Testing
import Tsubame
import TsubameTesting
import TsubameWire

@Suite(.timeLimit(.minutes(2)))
struct ToolBodyFramingTests {
    private static let long = String(repeating: "the same again, ", count: 10_000)

    private func sent(_ arguments: String...) async throws -> ReceivedRequest {
        try await sent(arguments)
    }

    private func sent(_ arguments: [String]) async throws -> ReceivedRequest {
        try await ScriptedServer.start(keepingBodyBytes: 8 << 20) { _ in .ok() }.use { server in
            let run = try await ToolProcess(arguments.map { $0.replacing("URL", with: server.url) }).finished()
            #expect(run.status == 0, "\(run)")
            return try await server.request(0)
        }
    }

    private static func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
        let decoder = InflateDecoder(.gzip)
        var (result, rest) = ([UInt8](), bytes[...])
        repeat {
            var consumed = 0
            result += try [UInt8](unsafeUninitializedCapacity: 64 << 10) { output, count in
                count = try rest.withUnsafeBytes {
                    try decoder.decode(into: UnsafeMutableRawBufferPointer(output), from: $0, inputConsumed: &consumed)
                }
            }
            rest = rest.dropFirst(consumed)
        } while !rest.isEmpty || decoder.mayHaveMore
        try decoder.finish()
        return result
    }

    // MARK: --compress

    @Test func aBodyIsCompressedAndNamedSo() async throws {
        let text = String(Self.long.prefix(100_000))
        let request = try await sent("-x", "URL", "--raw", text)
        #expect(request["content-encoding"] == "gzip" && request["content-type"] == "application/json")
        #expect(request["content-length"] == "\(request.body.count)")
        #expect(request.body.count < 2_000)
        #expect(try Self.inflated(request.body) == Array(text.utf8))
    }

    @Test func whatDoesNotBecomeSmallerIsLeftUnlessAskedForTwice() async throws {
        let once = try await sent("--compress", "URL", "a=b")
        #expect(once["content-encoding"] == nil && once.text == #"{"a": "b"}"#)
        let twice = try await sent("-xx", "URL", "a=b")
        #expect(twice["content-encoding"] == "gzip")
        #expect(try Self.inflated(twice.body) == Array(#"{"a": "b"}"#.utf8))
        #expect(try await sent("-xx", "URL")["content-encoding"] == nil, "there is no body")
    }

    @Test func filesAndFormsAreCompressedWhileTheyAreSent() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "long.txt")
            let content = Array(String(repeating: Self.long, count: 10).utf8)
            try Data(content).write(to: file)
            let request = try await sent("-x", "URL", "@\(file.path)")
            #expect(request.isChunked && request["content-encoding"] == "gzip")
            #expect(request["content-type"] == "text/plain")
            #expect(try Self.inflated(request.body) == content)

            let form = try await sent("-x", "-f", "--boundary=b", "URL", "f@\(file.path)", "a=1")
            #expect(form["content-encoding"] == "gzip")
            let plain = try Self.inflated(form.body)
            #expect(plain.starts(with: Array("--b\r\n".utf8)) && plain.count > content.count)

            let noise = folder.appending(path: "noise")
            try Data((0..<400_000).map { _ in UInt8.random(in: 0...255) }).write(to: noise)
            let text = folder.appending(path: "text")
            try Data(content.prefix(100_000)).write(to: text)
            let fields = try await sent("-x", "--multipart", "--boundary=b", "URL", "f=@\(text.path)", "a=1")
            #expect(fields["content-length"] != nil && fields["transfer-encoding"] == nil, "it is in memory")
            let left = try await sent("-x", "URL", "@\(noise.path)")
            #expect(left["content-encoding"] == nil && left["content-length"] == "400000")
        }
    }

    @Test func aCodingOfAnItemIsTheCodingOfTheBody() async throws {
        let request = try await sent("-xx", "URL", "a=b", "Content-Encoding:deflate")
        #expect(request["content-encoding"] == "deflate")
        let body = try #require(try await DecodedContent.decode(Bytes(request.body), codings: "deflate", upTo: 100))
        #expect(String(decoding: body, as: UTF8.self) == #"{"a": "b"}"#)
        for item in ["Content-Encoding:rot13", "Content-Encoding:"] {
            let run = try await tool("-x", ":1", "a=b", item)
            #expect(run.status == 64 && run.stderr.contains("Content-Encoding"), "\(run)")
        }
    }

    // MARK: --chunked

    @Test(arguments: [["a=b"], ["--raw", "text"], ["-f", "a=b"], ["-x", "a=b"], ["-xx", "a=b"]])
    func aBodyIsChunkedOnDemand(words: [String]) async throws {
        let request = try await sent(["--chunked", "URL"] + words)
        #expect(request.isChunked && request["content-length"] == nil && !request.body.isEmpty)
    }

    @Test func aFileIsChunkedOnDemand() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "f")
            try Data(Self.long.utf8).write(to: file)
            let request = try await sent("--chunked", "URL", "@\(file.path)")
            #expect(request.isChunked && request.text == Self.long)
            #expect(try await !sent("--chunked", "URL").isChunked, "there is no body")
        }
    }

    // MARK: Multipart

    @Test func theBoundaryIsTheOneAskedFor() async throws {
        let request = try await sent("--multipart", "--boundary", "my own", "URL", "a=1")
        #expect(request["content-type"] == "multipart/form-data; boundary=\"my own\"")
        for words in [
            ["-f", ":1", "Content-Type:multipart/form-data; boundary=x", "a=b"],
            [":1", "Content-Type:multipart/form-data", "a=b"],
        ] {
            let run = try await ToolProcess(["--offline"] + words).finished()
            #expect(run.status == 64 && run.stderr.contains("give --multipart"), "\(run)")
        }
        #expect(
            request.text == "--my own\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--my own--\r\n")
        for boundary in ["", "a\"b", "ü", "a ", String(repeating: "x", count: 71)] {
            let run = try await tool("--multipart", "--boundary=\(boundary)", ":1", "a=1")
            #expect(run.status == 64 && run.stderr.contains("--boundary"), "\(run)")
        }
    }

    // MARK: Files

    @Test func anOptionThatNoFileHasIsExplained() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "f.txt")
            try Data("x".utf8).write(to: file)
            let charset = try await tool("-f", ":1", "f@\(file.path);charset=utf-16")
            #expect(charset.status == 64)
            #expect(charset.stderr.contains("a file has no option ;charset="))
            #expect(charset.stderr.contains(";type=text/plain; charset=utf-16"))
            let other = try await tool("-f", ":1", "f@\(file.path);name=x")
            #expect(other.status == 64 && other.stderr.contains("use ;type= or ;filename="))
            // A whole body has no name.
            let named = try await sent("URL", "@\(file.path);filename=x")
            #expect(named.text == "x" && named["content-disposition"] == nil)

            let odd = folder.appending(path: "a;charset=b")
            try Data("odd".utf8).write(to: odd)
            #expect(try await sent("URL", "@\(odd.path)").text == "odd", "a file of that name is one")
            let typed = try await sent("-f", "URL", "f@\(file.path);type=text/plain; charset=utf-16")
            #expect(typed.text.contains("\r\nContent-Type: text/plain; charset=utf-16\r\n\r\nx\r\n"))
        }
    }

    @Test func theBodysFileCanHaveAType() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "f.txt")
            try Data("x".utf8).write(to: file)
            #expect(try await sent("URL", "@\(file.path);type=a/b")["content-type"] == "a/b")
        }
    }

    @Test func aTildeIsTheHome() async throws {
        try await withFolder { folder in
            try Data("[1]\n".utf8).write(to: folder.appending(path: "j"))
            for (words, body) in [
                (["a:=@~/j"], #"{"a": [1]}"#), (["@~/j"], "[1]\n"), (["--raw", "@~/j"], "[1]\n"),
                (["a=@~/j"], #"{"a": "[1]\n"}"#),
            ] {
                let run = try await ToolProcess(
                    ["--offline", "--print=B", ":1"] + words, environment: ["HOME": folder.path]
                ).finished()
                #expect(run.status == 0 && run.stdout == body, "\(run)")
            }
        }
    }
}
#endif
