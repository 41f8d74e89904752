// ToolUsageTests: the tool's command line and the texts about its options: help, completions and the manual page.
#if Server
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ToolUsageTests {
    private static let commands = [
        "run", "fmt", "convert", "from-curl", "bench", "watch", "upload", "cookies", "cache", "serve", "demo",
    ]

    /// The head of the request that these arguments make, without sending it.
    private func offline(_ words: String...) async throws -> String {
        let run = try await ToolProcess(["--offline"] + words).finished()
        #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
        return run.stdout
    }

    // MARK: Reading

    @Test(arguments: [
        ["-fpB", ":1", "a=b"], ["-f", "-pB", ":1", "a=b"], [":1", "a=b", "-fp", "B"], ["-fp=B", ":1", "a=b"],
        ["--form", "--print=B", ":1", "a=b"], ["--print", "B", ":1", "--form", "a=b"],
        ["-jf", "--no-json", "-pB", ":1", "a=b"],
        ["-f", "--print=H", "--print", "B", "--", ":1", "a=b"],
    ])
    func optionsAreWrittenInEveryUsualWay(words: [String]) async throws {
        let run = try await ToolProcess(["--offline"] + words).finished()
        #expect(run.status == 0 && run.stdout == "a=b", "\(run)")
    }

    @Test(arguments: ["--raw=a\\351", ":1 @a\\351", "-o a\\351", "-a me:secret\\351"])
    func bytesThatAreNoTextAreRefused(words: String) async throws {
        let path = try BuiltProducts.url(of: "tsubame").path
        let run = try await RunningProduct(
            "/bin/sh", ["-c", "exec \"$0\" --offline $(printf -- '\(words)') :1", path]
        ).finished()
        #expect(run.status == 64 && run.stderr.contains("is no text in UTF-8"), "\(run)")
        #expect(!run.stderr.contains("secret"))
    }

    @Test func anEmptyValueIsAValue() async throws {
        #expect(try await offline("--print=", ":1").isEmpty)
        #expect(try await offline("--print", "", ":1").isEmpty)
        #expect(try await offline("-pB", "--raw=", "POST", ":1").isEmpty)
        #expect(try await offline("-p=", ":1").isEmpty)
    }

    @Test func aValueThatMayBeAnythingMayBeginWithAHyphen() async throws {
        #expect(try await offline("-pB", ":1", "--raw", "--form") == "--form")
        #expect(try await offline("-a", "-x:--", ":1").contains("Authorization: Basic LXg6LS0="))
        #expect(try await offline("--boundary=-b", "--multipart", ":1", "a=b").contains("boundary=-b\r\n"))
    }

    @Test func aPartOfAFormMayHaveAType() async throws {
        let words = ["--multipart", "--boundary=b", "-pB", ":1", "meta:={\"a\": 1}", "n=x"]
        let run = try await ToolProcess(["--offline"] + words + ["--part-type", "meta=application/json"]).finished()
        let body = run.stdout
        #expect(
            body.contains("name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"a\": 1}\r\n--b")
                && body.contains("name=\"n\"\r\n\r\nx\r\n--b--"), "\(body)")
        let line = ["--as=curl", "--multipart", ":1", "m=a\"b", "f@/dev/null", "--part-type=m=text/x"]
        let curl = try await ToolProcess(line).finished().stdout
        #expect(curl.contains("--form 'm=\"a\\\"b\";type=text/x'"), "\(curl)")
    }

    @Test func everythingBehindTwoHyphensIsAWord() async throws {
        let run = try await tool("--offline", "--", ":1", "-x=1", "--form=2")
        #expect(run.stdout.hasSuffix(#"{"-x": "1", "--form": "2"}"#), "\(run)")
    }

    @Test func whatIsGivenTwiceCountsByTheLast() async throws {
        let run = try await tool("--default-scheme=https", "--default-scheme", "http", "localhost:1")
        #expect(run.stderr.contains("GET http://localhost:1/ failed"), "\(run)")
        #expect(try await offline("-pB", "-pH", "-pB", ":1", "a=b") == #"{"a": "b"}"#)
    }

    // MARK: Errors

    @Test(arguments: [
        (["--folow", ":1"], "There is no option --folow; is --follow meant?"),
        (["--max-red=3", ":1"], "There is no option --max-red; is --max-redirects meant?"),
        (["--hed-timeout=3", ":1"], "is --head-timeout meant?"),
        (["--no-folow", ":1"], "There is no option --no-folow"),
        (["--no-chek-status", ":1"], "is --no-check-status meant?"),
        (["--quite-another-thing", ":1"], "There is no option --quite-another-thing.\n"),
        (["-Fz", ":1"], "There is no option -z in “-Fz”."), (["-z", ":1"], "There is no option -z.\n"),
        (["-k", ":1"], "There is no option -k; --verify no trusts every certificate."),
        (["--location", ":1"], "; -F follows redirects."), (["-X", "POST", ":1"], "the method goes before the URL."),
        (["--no-verify", ":1"], "--no-verify: --verify no trusts every certificate."),
        (["-output", "x", ":1"], "“-output” is written with two hyphens: --output."),
        ([":1", "--timeout"], "--timeout needs a value: seconds."),
        (["--part-type=a=text/x", "--multipart", ":1", "b=c"], "--part-type: the form has no part “a” with a text"),
        (["--part-type=a", ":1"], "is not written name=type"), (["--part-type=a=b", ":1"], "“b” is no media type"),
        (["--multipart", ":1", "a:={}"], "A part may be JSON: --multipart --part-type a=application/json."),
        (["--timeout", "--form", ":1"], "--timeout needs a value: seconds. One that begins with a hyphen"),
        (["--timeout=soon", ":1"], "--timeout: “soon” is not a time in seconds"),
        (["--retry=x", ":1"], "--retry: “x” is not a whole number."),
        (["--har=", ":1"], "--har: The name of the file is empty."),
        (["--cookie-jar", "", ":1"], "--cookie-jar: The name of the file is empty."),
        (["--retry=99999999999999999999", ":1"], "--retry: “99999999999999999999” is too large."),
        (["-d", "-o", "", ":1"], "--output: The name of the file is empty."),
        ([":1", "@-"], "--raw @- sends the standard input"),
        (
            ["-P", "d6", ":1"],
            "--history-print: “d” is none of H, B, h, b, m and t. A folder for files needs --download."
        ),
        ([":1", "password:={SECRET"], "“password:=…” has no valid JSON"),
        ([":1", "a:={\"password\":\"SECRET\""], "“a:=…” has no valid JSON"),
        (["--style", "pink", ":1"], "--style: “pink” is none of auto, none, dark, light, mono, dracula,"),
        (["-px", ":1"], "--print: “x” is none of H, B, h, b, m and t."),
        (["-d", "a.example", "POST", "b.example"], "“POST” is a method: it goes before the first URL"),
        (["-d", "-h", "a.example"], "--headers reads no body, and --download saves one; --print=h prints"),
        (["--form=1", ":1"], "--form takes no value."),
        (["-f=1", ":1"], "-f takes no value."), (["--no-form=1", ":1"], "--no-form takes no value."),
    ])
    func whatIsWrongIsSaid(words: [String], text: String) async throws {
        let run = try await ToolProcess(words).finished()
        #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
        #expect(run.stderr.hasPrefix("tsubame: ") && run.stderr.contains(text), "\(run)")
        #expect(run.stderr.hasSuffix("\n  tsubame --help-all lists the options and explains the items.\n"))
    }

    @Test(arguments: [
        (["serve", "--prot", "1"], "There is no option --prot; is --port meant?"),
        (["serve", "localhost"], "“localhost” means nothing here"), (["demo", "--form"], "There is no option --form."),
        (["help", "nothing"], "There is no command “nothing”"),
    ])
    func theOtherCommandsSayItToo(words: [String], text: String) async throws {
        let run = try await ToolProcess(words).finished()
        #expect(run.status == 64 && run.stdout.isEmpty && run.stderr.contains(text), "\(run)")
    }

    @Test func secretsAmongTheWordsAreNotRepeated() async throws {
        for words in [["-a", "me:pa55", "--bogus", ":1"], ["--proxy=pa55://u:pa55@h", ":1"]] {
            let run = try await ToolProcess(words).finished()
            #expect(run.status == 64 && !run.stderr.contains("u:pa55") && !run.stderr.contains("me:pa55"), "\(run)")
        }
    }

    // MARK: Help

    @Test func helpTellsOfEverything() async throws {
        let help = try await tool("--help-all").stdout
        let titles = [
            "Usage", "Items", "Standard input", "Request", "Deadlines", "Connection", "TLS", "Credentials",
            "Printing", "Output", "Default options", "Exit status", "Examples",
        ]
        for title in titles { #expect(help.contains("\n\(title):\n"), "\(title)") }
        for text in [
            "-p, --print HBhbmt", "--[no-]check-status", "--raw @-", "130", "a[b]=x", "tsubame COMMAND [OPTION …]",
        ] {
            #expect(help.contains(text), "\(text)")
        }
        #expect(help.contains("--path-as-is"))
        #expect(help.contains("--generate bash|zsh|fish|man"))
    }

    @Test func `the help fits on a screen, and names every command`() async throws {
        let help = try await tool("--help").stdout
        #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count <= 45, "\(help)")
        for text in [
            "--help-all", "name:=json",
        ] + Self.commands.map({ "\n  \($0) " }) {
            #expect(help.contains(text), "\(text)")
        }
        #expect(try await tool("help").stdout == help)
        for command in ["bench", "watch", "cache"] {
            let (short, whole) = (
                try await tool(command, "--help").stdout, try await tool(command, "--help-all").stdout
            )
            #expect(short.split(separator: "\n").count <= 30 && short.contains("--help-all"), "\(short)")
            #expect(!short.contains("--tls-min") && whole.contains("--tls-min"))
        }
    }

    @Test(arguments: Self.commands)
    func `each command has a manual page`(command: String) async throws {
        let page = try await tool("--generate", "man", command)
        #expect(page.status == 0 && page.stdout.hasPrefix(".TH TSUBAME-\(command.uppercased()) 1"), "\(page)")
        #expect(page.stdout.contains("\n.SH OPTIONS\n") && page.stdout.contains("\\-\\-help\\fR"))
        let main = try await tool("--generate", "man").stdout
        #expect(main.contains("tsubame\\-\(command.replacing("-", with: "\\-")) (1)."))
        let wrong = try await tool("--generate", "bash", command)
        #expect(wrong.status == 64 && wrong.stdout.isEmpty)
    }

    @Test(arguments: [40, 60, 80, 100, 300])
    func helpIsWrappedToTheWidth(columns: Int) async throws {
        let run = try await ToolProcess(["--help-all"], environment: ["COLUMNS": "\(columns)"]).finished()
        let longest = run.stdout.split(separator: "\n").map(\.count).max() ?? 0
        // Names and examples that are longer than a line stay unbroken.
        #expect(longest <= max(min(columns, 110), 62) && longest > min(columns, 110) - 12, "\(longest)")
    }

    @Test func aDefaultStandsInTheHelp() async throws {
        // The help breaks lines where its columns end.
        let words = try await tool("--help-all").stdout.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("Follow at most this many redirects. The default is 20."))
        #expect(try await tool("serve", "--help").stdout.contains("8080"))
    }

    // MARK: Completions and the manual page

    /// Writes the generated file into a folder.
    private func generated(_ kind: String, in folder: URL) async throws -> String {
        let run = try await tool("--generate", kind)
        #expect(run.status == 0 && run.stderr.isEmpty && !run.stdout.isEmpty)
        #expect(!run.stdout.contains("--flip"), "hidden options are not offered")
        let file = folder.appending(path: "tsubame.\(kind)")
        try Data(run.stdout.utf8).write(to: file)
        return file.path
    }

    /// The output of a program that ends with status 0.
    private func run(_ program: String?, _ arguments: [String]) async throws -> String {
        let run = try await runProduct(try #require(program), arguments)
        #expect(run.status == 0, "\(run)")
        return run.shown
    }

    private static func program(_ name: String) -> String? {
        ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static let (bash, zsh, fish) = (program("bash"), program("zsh"), program("fish"))
    private static let groff = program("groff")

    @Test(
        .enabled(if: bash != nil, "bash is not installed"),
        arguments: [
            (["--pret"], ["--pretty"]), (["--pretty", "=", "c"], ["colors"]), (["-s", "d"], ["dark", "dracula"]),
            (["--follow", "--pretty", ""], ["all", "colors", "format", "none"]), (["--no-ch"], ["--no-check-status"]),
            (["PAT"], ["PATCH"]), (["serve", "--po"], ["--port"]),
            (["help", ""], commands),
            (["dem"], ["demo"]),
            (["serve", "--fol"], []), (["--timeout", "--fol"], []), (["demo", "-"], ["--inspect", "--help"]),
            (["--cacert", "FOLDER/swallow"], ["FOLDER/swallow photo.jpg"]),
            ([":1", "a", "@", "FOLDER/swallow"], [#"@FOLDER/swallow\ photo.jpg"#]),
            // Without hostcomplete, bash does not break words at the @.
            ([":1", "a@FOLDER/swallow"], [#"a@FOLDER/swallow\ photo.jpg"#]),
            ([":1", "@FOLDER/sw"], [#"@FOLDER/swallow\ photo.jpg"#]),
            (["upload", ":1", "@FOLDER/in"], ["@FOLDER/inner/"]),
            ([":1", "\"a@FOLDER/swallow"], ["\"a@FOLDER/swallow photo.jpg"]), ([":1", "\"a@FOLDER/evil"], []),
            ([":1", "a@FOLDER/evil"], [#"a@FOLDER/evil\$\(id\)"#]),
            ([":1", "it\\'s@FOLDER/swallow"], [#"it\'s@FOLDER/swallow\ photo.jpg"#]),
            (["run", "FOLDER/sw"], ["FOLDER/swallow photo.jpg"]), (["convert", "a", "FOLDER/in"], ["FOLDER/inner"]),
        ])
    func bashCompletes(words: [String], expected: [String]) async throws {
        try await withFolder { folder in
            let path = try await generated("bash", in: folder)
            for name in ["swallow photo.jpg", "evil$(id)"] { try Data().write(to: folder.appending(path: name)) }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "inner"), withIntermediateDirectories: true)
            let script = """
                source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); word=${COMP_WORDS[COMP_CWORD]}
                # As bash does with hostcomplete: the text that is replaced begins with the @.
                if [ "${COMP_WORDS[COMP_CWORD-1]}" = @ ]; then word=@$word; fi
                _tsubame tsubame "$word" "${COMP_WORDS[COMP_CWORD-1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let typed = words.map { $0.replacing("FOLDER", with: folder.path) }
            let shown = try await run(Self.bash, ["--norc", "-c", script, "bash", path, "tsubame"] + typed)
            let offered = shown.split(separator: "\n").map { String($0).replacing(folder.path, with: "FOLDER") }
            #expect(offered == expected)
        }
    }

    @Test(
        .enabled(if: fish != nil, "fish is not installed"),
        arguments: [
            ("--pret", ["--pretty"]), ("--pretty=c", ["--pretty=colors"]), ("-s d", ["dark", "dracula"]),
            ("PAT", ["PATCH"]),
            ("serve --po", ["--port"]), ("help ", commands.sorted()),
            ("--no-ch", ["--no-check-status"]),
            ("demo --", ["--inspect", "--help"]), ("run FOLDER/sw", ["FOLDER/swallow"]), ("serve FOLDER/sw", []),
            (":1 a@FOLDER/sw", ["a@FOLDER/swallow"]), ("upload :1 @FOLDER/in", ["@FOLDER/inner/"]),
        ])
    func fishCompletes(line: String, expected: [String]) async throws {
        try await withFolder { folder in
            let path = try await generated("fish", in: folder)
            try Data().write(to: folder.appending(path: "swallow"))
            try FileManager.default.createDirectory(
                at: folder.appending(path: "inner"), withIntermediateDirectories: true)
            let typed = line.replacing("FOLDER", with: folder.path)
            let script = "source $argv[1]; complete -C $argv[2]"
            let shown = try await runProduct(
                try #require(Self.fish), ["-N", "-c", script, path, "tsubame \(typed)"],
                environment: ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_DATA_HOME": folder.path])
            #expect(shown.status == 0, "\(shown)")
            let offered = shown.lines.map {
                String($0.prefix { $0 != "\t" }).replacing(folder.path, with: "FOLDER")
            }
            #expect(Set(offered) == Set(expected))
        }
    }

    /// Runs in a separate terminal of zsh, because zsh's completions run only there. The test waits until the pattern
    /// appears; if it never does, the process is ended after a while.
    @Test(
        .enabled(if: zsh != nil, "zsh is not installed"),
        arguments: [
            ("--pretty=c", "--pretty=colors"), ("serve --po", "serve --port"), ("dem", "tsubame demo"),
            ("--max-red", "--max-redirects="), ("-s fr", "-s fruity"), ("--no-ch", "--no-check-status"),
            ("run /etc/passw", "run /etc/passwd"), ("upload :1 @/etc/passw", "@/etc/passwd"),
        ])
    func zshCompletes(line: String, expected: String) async throws {
        try await withFolder { folder in
            let path = try await generated("zsh", in: folder)
            let script = """
                zmodload zsh/zpty
                zpty shell "exec zsh -f -i"
                zpty -w shell "autoload -Uz compinit; compinit -D -u; source '$1'; bindkey '^I' complete-word; print REA''DY"
                zpty -r shell shown '*READY*'
                zpty -w -n shell "tsubame $2"$'\\t'
                zpty -r shell shown "*$3*"
                """
            let arguments = ["-f", "-c", script, "zsh", path, line, expected]
            let run = try await runProduct(
                try #require(Self.zsh), arguments, environment: ["HOME": folder.path, "TERM": "dumb"],
                limit: .seconds(30))
            #expect(run.status == 0, "\(run)")
        }
    }

    @Test(.enabled(if: groff != nil, "groff is not installed"))
    func theManualPageIsOne() async throws {
        try await withFolder { folder in
            let path = try await generated("man", in: folder)
            #expect(try await run(Self.groff, ["-man", "-ww", "-z", path]) == "", "without a warning")
            let shown = try await run(Self.groff, ["-man", "-Tascii", "-P-c", "-P-b", "-P-u", "-P-o", path])
            for text in [
                "NAME", "SYNOPSIS", "EXIT STATUS", "EXAMPLES", "FILES", "ENVIRONMENT", "--auth user[:password]|token",
            ] {
                #expect(shown.contains(text), "\(text)")
            }
        }
    }

    @Test func thePageAndTheHelpTellOfTheSameOptions() async throws {
        let (help, page) = (try await tool("--help-all").stdout, try await tool("--generate", "man").stdout)
        let names = help.matches(of: /(?m)^ {2,6}(?:-\w, )?--(?:\[no-\])?([a-z0-9-]*[a-z0-9])(?: |$)/).map {
            String($0.1)
        }
        #expect(names.count > 50)
        for name in names { #expect(page.contains(name.replacing("-", with: "\\-") + "\\fR"), "\(name)") }
    }
}
#endif
