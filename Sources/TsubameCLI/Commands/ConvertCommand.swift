// ConvertCommand: `tsubame convert FROM TO`, which translates files of requests.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

struct ConvertCommand: ToolCommand {
    /// The option about the formats.
    struct Choice: Options {
        var from: FileFormat?
        var to: FileFormat?

        static let title = "Formats"
        static let options: [CommandOption<Self>] = [
            .choice("from", of: FileFormat.self, "The format of the first file; by default as its name shows.") {
                $0.from = $1
            },
            .choice("to", of: FileFormat.self, "The format of the second file; by default as its name shows.") {
                $0.to = $1
            },
        ]
    }

    static let name = "convert"
    static let abstract = "Translate between .http, .hurl, HAR, Postman and curl lines."
    static let usage = ["[OPTION …] FROM TO"]
    static let takesWords = true
    static let takesFiles = true
    static let table = OptionTable<Self>(
        OptionGroup(\.choice), OptionGroup(\.variables), OptionGroup("General", [.help]))

    var words: [String] = []
    private var choice = Choice()
    private var variables = VariableOptions()

    func validate() throws(UsageProblem) { try variables.validate() }

    func run() throws -> ExitStatus {
        guard words.count == 2 else {
            throw UsageProblem("Two files are needed: tsubame convert FROM TO; - is the standard input or output.")
        }
        let (from, to) = (words[0], words[1])
        if from != "-", to != "-", let file = FileStatus(of: from), let other = FileStatus(of: to),
            (file.device, file.inode) == (other.device, other.inode), file.kind == .regular
        {
            throw UsageProblem("\(from) and \(to) are the same file: give the new file another name.")
        }
        guard let source = choice.from ?? FileFormat(path: from) else { throw Self.unknown(from, "--from") }
        guard let target = choice.to ?? FileFormat(path: to) else { throw Self.unknown(to, "--to") }
        let bytes = try RequestFolder.bytes(of: from == "-" ? "/dev/stdin" : from)
        var file: RequestFile
        var losses: [String]
        do {
            if source == .http, from != "-" {
                (file, losses) = (
                    RequestFileReader.chosen(try RequestFileReader.read(from, as: .http), names: [], tags: []), []
                )
                if target == .http { file = try HTTPFileParser.parse(RequestFolder.text(of: from), path: from) }
            } else {
                (file, losses) = try source.read(bytes, path: from)
            }
        } catch let problem as FileProblem {
            Diagnostics.say(problem.description)
            return .usage
        }
        let (text, further) = try target.text(of: file, named: Self.title(of: from)) { try requests(of: file) }
        losses += further
        let output = try OutputFile(to == "-" ? nil : to)
        do {
            try output.write(text)
            try output.finish()
        } catch {
            output.discard()
            throw error
        }
        for loss in losses { Diagnostics.say("left out: \(loss)") }
        return .ok
    }

    private static func unknown(_ path: String, _ option: String) -> UsageProblem {
        UsageProblem("The name \(path) shows no format: give \(option), or a name that ends in \(FileFormat.suffixes).")
    }

    private static func title(of path: String) -> String {
        let base = path.split(separator: "/").last.map(String.init) ?? path
        return String(base.prefix { $0 != "." })
    }

    /// The requests with the values of their variables.
    private func requests(of file: RequestFile) throws -> [(Request, FileEntry)] {
        Array(zip(try RequestFileReader.requests(of: file, RunEnvironment(options: variables)), file.entries))
    }
}
