// RequestLanguage: the languages in which `--as` prints a request.

import Tsubame
import TsubameRequestFiles

enum RequestLanguage: String, CaseIterable {
    case curl, swift, http, hurl, python, tsubame

    /// The request in this language, with its secrets.
    /// - Throws: if the language cannot name the request's body.
    func text(of request: Request) throws(UsageProblem) -> String {
        switch self {
        case .curl: request.curl(showingSecrets: true) + "\n"
        case .swift: request.swiftProgram
        case .python: request.pythonProgram
        case .tsubame: request.tsubame(showingSecrets: true) + "\n"
        case .http: HTTPFileWriter(try Self.file(of: [request])).text
        case .hurl: HurlWriter(try Self.file(of: [request])).text
        }
    }

    static func file(of requests: [Request]) throws(UsageProblem) -> RequestFile {
        var file = RequestFile(path: "")
        for request in requests {
            guard var entry = FileEntry(request) else {
                throw UsageProblem("The body of \(request.summary) can be read only once, so no file can hold it.")
            }
            // The tool adds this field by itself.
            entry.fields.removeAll { $0.name.source == "User-Agent" && $0.value.source == "Tsubame/\(Client.version)" }
            file.entries.append(entry)
        }
        return file
    }
}
