// FileFormat: the formats between which `tsubame convert` translates.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

enum FileFormat: String, CaseIterable {
    case http, hurl, har, postman, curl

    /// The format of a file by its name; nil if the name shows none.
    init?(path: String) {
        let name = path.lowercased()
        if name.hasSuffix(".http") || name.hasSuffix(".rest") {
            self = .http
        } else if name.hasSuffix(".hurl") {
            self = .hurl
        } else if name.hasSuffix(".har") {
            self = .har
        } else if name.hasSuffix(".json") {
            self = .postman
        } else if name.hasSuffix(".sh") || name.hasSuffix(".curl") || name.hasSuffix(".txt") {
            self = .curl
        } else {
            return nil
        }
    }

    /// The names of files by which formats are known.
    static let suffixes = ".http, .rest, .hurl, .har, .json (Postman), or .sh, .curl or .txt (curl)"

    /// The file with its entries, and the parts that the model cannot hold.
    /// - Throws: ``FileProblem`` for a mistake in the file.
    func read(_ bytes: [UInt8], path: String) throws -> (file: RequestFile, losses: [String]) {
        if self == .har { return (try ArchiveReader.file(bytes, path: path), []) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SystemError("\(path) is no text in UTF-8", code: EILSEQ)
        }
        switch self {
        case .http: return (try HTTPFileParser.parse(text, path: path), [])
        case .hurl: return (try HurlParser.parse(text, path: path), [])
        case .curl: return try Self.curlFile(text, path)
        case .postman:
            let json: JSONValue
            do throws(JSONSyntax.Fault) {
                json = try JSONValue(text)
            } catch {
                throw FileProblem(path: path, json: text, error)
            }
            let reader = try PostmanReader(json, path: path)
            return (reader.file, reader.losses)
        case .har: return (RequestFile(path: path), [])
        }
    }

    /// The requests of lines for curl, as the tool would send them.
    private static func curlFile(_ text: String, _ path: String) throws -> (file: RequestFile, losses: [String]) {
        var (file, losses) = (RequestFile(path: path), [String]())
        var place = path
        do throws(UsageProblem) {
            for (index, command) in try CurlCommand.commands(in: text).enumerated() {
                place = "\(path), command \(index + 1)"
                let line = try CurlCommand.line(of: command)
                let words = ["--ignore-config"] + line.words
                let requests = try captured(words)
                file.entries += try RequestLanguage.file(of: requests).entries
                losses += requests.flatMap { request, settings in
                    settings.lostInFiles.map { "\($0) of \(request.summary)" }
                }
            }
        } catch {
            throw UsageProblem("\(place): \(error)")
        }
        return (file, losses)
    }

    private static func captured(_ words: [String]) throws(UsageProblem) -> [(Request, RequestSettings)] {
        do {
            return try CommandArguments<RequestCommand>(ArgumentReader(words[...])).command().captured()
        } catch {
            throw UsageProblem("\(error)")
        }
    }

    /// The text of the file in this format, and the parts that the format cannot hold.
    /// - Parameter requests: makes the requests of the entries, for formats without variables.
    func text(
        of file: RequestFile, named name: String, requests: () throws -> [(Request, FileEntry)]
    ) throws -> (text: String, losses: [String]) {
        switch self {
        case .http:
            let writer = HTTPFileWriter(file)
            return (writer.text, writer.losses)
        case .hurl:
            let writer = HurlWriter(file)
            return (writer.text, writer.losses)
        case .postman:
            let writer = PostmanWriter(file, name: name)
            return (writer.json.indentedText + "\n", writer.losses)
        case .curl:
            var losses: [String] = []
            let lines = try requests().map { request, entry in
                var settings = RequestSettings()
                settings.take(entry, in: RequestFolder(of: file.path))
                losses += settings.losses
                return RequestLanguage.curlLine(request, settings)
            }
            return (lines.joined(), losses + Self.lostChecks(of: file))
        case .har:
            let archive = try ArchiveReader.archive(
                of: requests(), started: FileDate.now().text, version: Client.version
            ) { try RequestFolder.bytes(of: $0) }
            let losses = archive.losses + Self.lostOptions(of: file) + Self.lostChecks(of: file)
            return (String(decoding: archive.json, as: UTF8.self), losses)
        }
    }

    /// The options that an archive does not have. The request has the others already.
    static func lostOptions(of file: RequestFile) -> [String] {
        let kept = RequestSettings.made.union(["digest", "no-header", "path-as-is", "compressed"])
        return file.entries.flatMap { entry in
            entry.options.filter { !kept.contains($0.name) && $0.value.plain != "false" }.map {
                "the option \($0.name) of \(entry.method) \(entry.url.source)"
            }
        }
    }

    private static func lostChecks(of file: RequestFile) -> [String] {
        let count = file.entries.count { entry in
            guard let expected = entry.response else { return false }
            return expected.version != nil || expected.status != nil || expected.body != nil || !expected.fields.isEmpty
                || !expected.assertions.isEmpty || !expected.captures.isEmpty
        }
        return count > 0 ? ["the checks and captures of \(count == 1 ? "1 request" : "\(count) requests")"] : []
    }
}
