// RequestLanguage: the languages in which `--as` prints a request.

import Tsubame
import TsubameRequestFiles

enum RequestLanguage: String, CaseIterable {
    case curl, swift, http, hurl, python, tsubame

    /// The request in this language, with its secrets, and the parts that the language cannot hold.
    /// - Throws: if the language cannot name the request's body.
    func text(of request: Request, _ settings: RequestSettings) throws(UsageProblem) -> (text: String, losses: [String])
    {
        switch self {
        case .curl: return (Self.curlLine(request, settings), settings.losses + settings.lostInCurl)
        case .swift:
            return (
                request.swiftProgram(settings.swiftLines),
                settings.losses + settings.lostFraming + settings.lostFields
            )
        case .python:
            return (
                request.pythonProgram(settings.pythonArguments),
                settings.losses + settings.lostInPython + settings.lostFields
            )
        case .tsubame:
            let line = request.tsubame(showingSecrets: true)
            let words = [Self.adding(settings.toolWords, to: line, after: "tsubame ")] + settings.toolItems
            return (words.joined(separator: " ") + "\n", settings.losses)
        case .http:
            let writer = HTTPFileWriter(try Self.file(of: [(request, settings)]))
            return (writer.text, settings.lostInFiles + writer.losses)
        case .hurl:
            let writer = HurlWriter(try Self.file(of: [(request, settings)]))
            return (writer.text, settings.lostInFiles + writer.losses)
        }
    }

    /// A line for curl. The parts of a form stand in options of their own.
    static func curlLine(_ request: Request, _ settings: RequestSettings) -> String {
        var request = request
        if !settings.parts.isEmpty {
            request.body = .empty
            request.headers[.contentType] = nil
        }
        let line = request.curl(showingSecrets: true)
        return adding(settings.curlWords, to: line, after: "curl ") + "\n"
    }

    private static func adding(_ words: [String], to line: String, after name: String) -> String {
        guard !words.isEmpty, let place = line.firstRange(of: name) else { return line }
        return line[..<place.upperBound] + words.joined(separator: " ") + " " + line[place.upperBound...]
    }

    static func file(of requests: [(Request, RequestSettings)]) throws(UsageProblem) -> RequestFile {
        var file = RequestFile(path: "")
        for (request, settings) in requests {
            guard var entry = FileEntry(request) else {
                throw UsageProblem("The body of \(request.summary) can be read only once, so no file can hold it.")
            }
            // The tool adds this field by itself.
            entry.fields.removeAll { $0.name.source == "User-Agent" && $0.value.source == "Tsubame/\(Client.version)" }
            settings.apply(to: &entry)
            file.entries.append(entry)
        }
        return file
    }
}
