// CurlCommand: `tsubame from-curl`, which runs a command line that was copied for curl.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

/// The arguments of a request that mean the same as a curl command.
enum CurlCommand {
    static let name = "from-curl"
    static let abstract = "Run a command line that was copied for curl."
    static let commonOptions: KeyValuePairs = [
        "as": "Print the request in another language, and send nothing.",
        "print": "Print these parts of request and response.",
        "verbose": "Print request and response.",
        "output": "Write to a file.",
        "offline": "Show the request, and send nothing.",
        "help": "Show help.",
        "help-all": "Show all options, which are those of requests.",
    ]
    static let usage = ["[OPTION …] 'curl …' [OPTION …]", "[OPTION …] curl URL …", "[OPTION …] - < FILE"]

    /// Reads `from-curl [OPTION …] 'curl …' [OPTION …]`, the same without quotes, or `from-curl [OPTION …] -` with the
    /// command on the standard input.
    /// - Returns: the arguments of `tsubame`: those before the command, its own, and those after it.
    static func arguments(_ words: ArraySlice<String>) throws -> [String] {
        let isCommand = { (word: String) in
            word == "-" || word == "curl" || word.hasPrefix("curl ") || word.hasPrefix("curl\n")
                || word.hasPrefix("curl\t")
        }
        // `--as curl` is an option.
        let index = words.indices.first { isCommand(words[$0]) && ($0 == words.startIndex || words[$0 - 1] != "--as") }
        guard let index else {
            throw UsageProblem("There is no curl command: tsubame from-curl 'curl …', or - for the standard input.")
        }
        let before = Array(words[..<index])
        var after: [String] = []
        let commands: [[String]]
        if words[index] == "curl" {
            commands = [Array(words[index...])]
        } else {
            let text = words[index] == "-" ? try standardInput() : words[index]
            after = Array(words[(index + 1)...])
            commands = try Self.commands(in: text)
        }
        guard let command = commands.first else { throw UsageProblem("The text is empty.") }
        guard commands.count == 1 else {
            throw UsageProblem("The text has \(commands.count) commands; tsubame convert makes a file of several.")
        }
        let line = try line(of: command)
        if !line.ignored.isEmpty {
            Diagnostics.say("these options of curl have no meaning here: \(line.ignored.joined(separator: ", "))")
        }
        return before + after + line.words
    }

    /// The commands of a text, as their words.
    static func commands(in text: String) throws(UsageProblem) -> [[String]] {
        do throws(ShellLine.Problem) {
            return try ShellLine.commands(in: text) { name in getenv(name).map { String(cString: $0) } }
        } catch {
            throw UsageProblem("The curl command cannot be read: \(error.reason).")
        }
    }

    static func line(of command: [String]) throws(UsageProblem) -> CurlLine {
        guard command.first == "curl" || command.first?.hasSuffix("/curl") == true || command.first == "curl.exe" else {
            throw UsageProblem("“\(command.first ?? "")” is no curl command.")
        }
        do throws(ShellLine.Problem) {
            return try CurlLine(Array(command.dropFirst())) { path throws(ShellLine.Problem) in
                do throws(SystemError) {
                    return try RequestFolder.text(of: HomePath.expand(path))
                } catch {
                    throw ShellLine.Problem("\(error)")
                }
            }
        } catch {
            throw UsageProblem("The curl command cannot be read: \(error.reason).")
        }
    }

    private static func standardInput() throws -> String {
        guard let bytes = try Descriptor.input.readAll(atMost: 64 << 20) else {
            throw UsageProblem("The standard input is longer than 64 MiB.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UsageProblem("The standard input is no text in UTF-8.")
        }
        return text
    }
}
