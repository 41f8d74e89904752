// ToolOutputImageTests: images on a terminal.
#if Server
import Foundation
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolOutputImageTests {
    /// One red pixel.
    static let png = Array(
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
            ?? Data())
    static let gif = Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0, 0x3B]

    private func run(
        _ type: String, _ body: [UInt8], _ arguments: String..., environment: [String: String] = [:],
        output: ToolProcess.Output = .terminal
    ) async throws -> ProductRun {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
        return try await ScriptedServer.start { _ in [.bytes(head), .bytes(body, every: 7)] }.use { server in
            try await ToolProcess(["-b", server.url] + arguments, output: output, environment: environment).finished()
        }
    }

    @Test func anImageIsDescribedWhereItCannotBeShown() async throws {
        for (type, body, what) in [
            ("image/png", Self.png, "PNG image, 1 × 1"), ("image/gif", Self.gif, "GIF image, 3 × 2"),
            ("application/octet-stream", Self.png, "PNG image, 1 × 1"), ("image/png", [0x89, 0x50, 0], "binary data"),
        ] {
            let answer = try await run(type, body)
            #expect(
                answer.stdout == "(\(what), \(body.count) bytes: not shown on a terminal; -o FILE saves it)\n")
        }
    }

    @Test(arguments: [
        ["TERM": "xterm-kitty"], ["TERM": "xterm", "KITTY_WINDOW_ID": "1"], ["TERM": "xterm-ghostty"],
    ])
    func kittyShowsAPNG(environment: [String: String]) async throws {
        let answer = try await run("image/png", Self.png, environment: environment)
        #expect(
            answer.stdout == "\u{1B}_Ga=T,f=100,q=2,m=0;\(Data(Self.png).base64EncodedString())\u{1B}\\\n")
        #expect(try await run("image/gif", Self.gif, environment: environment).stdout.hasPrefix("(GIF image, 3 × 2, "))
    }

    @Test func iTermShowsAnyImage() async throws {
        let answer = try await run(
            "image/gif", Self.gif, environment: ["TERM": "xterm", "TERM_PROGRAM": "iTerm.app"])
        #expect(
            answer.stdout
                == "\u{1B}]1337;File=inline=1;size=14:\(Data(Self.gif).base64EncodedString())\u{7}\n")
    }

    @Test func sixelsAreMadeOfAPNG() async throws {
        let answer = try await run("image/png", Self.png, environment: ["TERM": "foot"])
        #expect(answer.stdout.hasPrefix("\u{1B}P0;1;0q\"1;1;1;1#0;2;0;0;0"))
        // The topmost pixel in full red.
        #expect(answer.stdout.hasSuffix("#180@-\u{1B}\\\n"))
    }

    @Test func nothingIsShownBehindAMultiplexerOrElsewhere() async throws {
        for environment in [
            ["TERM": "screen", "KITTY_WINDOW_ID": "1"], ["TERM": "xterm-kitty", "TMUX": "x"], ["TERM": "xterm"],
        ] {
            #expect(
                try await run("image/png", Self.png, environment: environment).stdout.hasPrefix("(PNG image, 1 × 1"))
        }
        let chosen = try await run("image/png", Self.png, "--images=none", environment: ["TERM": "xterm-kitty"])
        #expect(chosen.stdout.hasPrefix("(PNG image"))
        #expect(try await run("image/png", Self.png, "--images=kitty").stdout.hasPrefix("\u{1B}_G"))
        let redirected = try await run(
            "image/png", Self.png, "--images=kitty", environment: ["TERM": "xterm-kitty"], output: .pipe)
        #expect(redirected.stdoutBytes == Self.png)
    }
}
#endif
