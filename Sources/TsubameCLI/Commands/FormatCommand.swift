// FormatCommand: `tsubame fmt FILE…`, which writes files of requests in one style.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

struct FormatCommand: ToolCommand {
    /// The option about the formatted text.
    struct Choice: Options {
        var checks = false

        static let title = "Output"
        static let options: [CommandOption<Self>] = [
            .flag("check", "Change nothing, and exit with 1 if a file is not in this style.") { $0.checks = true }
        ]
    }

    static let name = "fmt"
    static let abstract = "Write .http and .hurl files in one style."
    static let usage = ["[OPTION …] FILE …"]
    static let takesWords = true
    static let takesFiles = true
    static let table = OptionTable<Self>(OptionGroup(\.choice), OptionGroup("General", [.help]))

    var words: [String] = []
    private var choice = Choice()

    func validate() throws(UsageProblem) {}

    func run() throws -> ExitStatus {
        guard !words.isEmpty else { throw UsageProblem("There is no file: tsubame fmt FILE …") }
        var status = ExitStatus.ok
        for path in words {
            do {
                let text = try RequestFolder.text(of: path)
                let formatted = try formatted(text, path)
                guard formatted != text else { continue }
                if choice.checks {
                    try Descriptor.output.writeAll("\(path) is not in this style\n")
                    status = .failure
                } else {
                    let output = try OutputFile(path)
                    try output.write(formatted)
                    try output.finish()
                    try Descriptor.output.writeAll("\(path) is formatted\n")
                }
            } catch let problem as FileProblem {
                Diagnostics.say(problem.description)
                status = .usage
            }
        }
        return status
    }

    private func formatted(_ text: String, _ path: String) throws -> String {
        switch FileFormat(path: path) {
        case .hurl?: try FileFormatter.hurl(text, path: path)
        case .http?: try FileFormatter.http(text, path: path)
        default: throw UsageProblem("\(path): the name of a file that is formatted ends in .http, .rest or .hurl.")
        }
    }
}
