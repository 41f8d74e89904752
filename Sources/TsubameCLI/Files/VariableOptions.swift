// VariableOptions: the options about the variables of files of requests.

import Tsubame
import TsubameRequestFiles

struct VariableOptions: Options {
    var variables: [(name: String, value: FileValue)] = []
    var environment: String?
    var environmentFile: String?

    var isEmpty: Bool { variables.isEmpty && environment == nil && environmentFile == nil }

    static let title = "Variables"
    static let options: [CommandOption<Self>] = [
        .value(
            "var", "name=value", isAnyWord: true,
            "Set a variable: a number, true, false or null by its look, else text; in quotation marks always text.",
            reading: variable
        ) { $0.variables.append($1) },
        .value(
            "env", "name",
            "Use the variables of this environment, from http-client.env.json or VS Code's settings beside the file or above."
        ) { $0.environment = $1 },
        .value(
            "env-file", "file", completion: .file,
            "Read variables from this file: lines of name=value, or environments as in http-client.env.json."
        ) { $0.environmentFile = $1 },
    ]

    private static func variable(_ text: String) throws(UsageProblem) -> (name: String, value: FileValue) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw UsageProblem("“\(text)” is not written name=value.")
        }
        return (String(text[..<equals]), FileValue(typed: String(text[text.index(after: equals)...])))
    }

    func validate() throws(UsageProblem) {
        if environment != nil, let environmentFile, !environmentFile.hasSuffix(".json") {
            throw UsageProblem("--env names an environment of a JSON file, and \(environmentFile) is none.")
        }
    }
}
