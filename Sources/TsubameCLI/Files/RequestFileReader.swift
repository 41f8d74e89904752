// RequestFileReader: reads a file of requests by the format that its name shows.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

enum RequestFileReader {
    /// The number of files that a file imports, together with the imports of these.
    private static let mostImports = 100

    /// Reads the file, and the files that it imports.
    /// - Throws: ``FileProblem`` for a mistake in the file; `SystemError` if it cannot be read.
    static func read(_ path: String, as format: FileFormat? = nil) throws -> RequestFile {
        var file = try readAlone(path, as: format)
        var known = [FilePath.absolute(path)]
        try addImports(to: &file, of: file, &known)
        return file
    }

    private static func readAlone(_ path: String, as format: FileFormat? = nil) throws -> RequestFile {
        switch format ?? FileFormat(path: path) {
        case .http?: return try HTTPFileParser.parse(RequestFolder.text(of: path), path: path)
        case .hurl?: return try HurlParser.parse(RequestFolder.text(of: path), path: path)
        case .har?: return try ArchiveReader.file(RequestFolder.bytes(of: path), path: path)
        default: throw UsageProblem("\(path): the name of a file of requests ends in .http, .rest, .hurl or .har.")
        }
    }

    /// Adds the variables and the named entries of imported files before those of the file.
    private static func addImports(
        to file: inout RequestFile, of importing: RequestFile, _ known: inout [String]
    ) throws {
        for item in importing.imports {
            let path = RequestFolder(of: importing.path).path(item.name.source)
            let absolute = FilePath.absolute(path)
            if known.contains(absolute) { continue }
            func problem(_ reason: String) -> FileProblem {
                FileProblem(
                    path: importing.path, place: item.place, reason: reason, text: "# @import \(item.name.source)")
            }
            guard known.count < mostImports else { throw problem("this imports more than \(mostImports) files") }
            known.append(absolute)
            let imported: RequestFile
            do throws(SystemError) {
                _ = try RequestFolder.bytes(of: path)
            } catch {
                throw problem("\(error)")
            }
            imported = try readAlone(path)
            file.variables = imported.variables + file.variables
            file.entries =
                imported.entries.filter { $0.name != nil }.map { entry in
                    var entry = entry
                    entry.importedFrom = path
                    return entry
                } + file.entries
            try addImports(to: &file, of: imported, &known)
        }
    }

    /// The requests of a file with the values of its variables, without sending any. So no entry can use the response of
    /// another one.
    /// - Parameter answersChallenges: whether credentials that wait for a challenge are of use.
    /// - Throws: ``FileProblem`` at an entry whose request cannot be made.
    static func requests(
        of file: RequestFile, _ environment: RunEnvironment, answersChallenges: Bool = true
    ) throws -> [Request] {
        var file = file
        var variables = try environment.variables(for: &file)
        variables.hasAnswers = false
        return try file.entries.map { entry in
            if let refusal = entry.refusal { throw refusal }
            do throws(EntryProblem) {
                let options = try EntryOptions(of: entry, [], &variables)
                if options.usesDigest, !answersChallenges {
                    throw EntryProblem(
                        entry.place,
                        "Digest credentials of a file are not sent here: give --auth-type digest --auth USER")
                }
                var request = try EntryRequest(entry, options, variables, RequestFolder(of: file.path)).request
                // Credentials that need no challenge are a field.
                if let user = options.user, !options.usesDigest, !request.headers.contains("Authorization") {
                    request.headers.append("Authorization", "Basic \(EncodedBytes.base64Text(Array(user.utf8)))")
                }
                return request
            } catch {
                throw FileProblem(
                    path: file.path, place: error.place, reason: error.reason,
                    text: "\(entry.method) \(entry.url.source)")
            }
        }
    }

    /// The entries that `--name` and `--tag` choose, and those whose responses they refer to.
    static func chosen(_ file: RequestFile, names: [String], tags: [String]) -> RequestFile {
        let takesAll = names.isEmpty && tags.isEmpty
        var isChosen = file.entries.map { entry in
            takesAll
                ? entry.importedFrom == nil
                : entry.name.map(names.contains) ?? false || entry.title.map(names.contains) ?? false
                    || entry.tags.contains(where: tags.contains)
        }
        var referred = Set<String>()
        for (index, entry) in file.entries.enumerated().reversed() {
            if let name = entry.name, referred.contains(name) { isChosen[index] = true }
            if isChosen[index] { referred.formUnion(entry.references(in: file)) }
        }
        var result = file
        result.entries = ordered(zip(file.entries, isChosen).filter(\.1).map(\.0), in: file)
        return result
    }

    /// The entries, each imported one right before the first that refers to it.
    private static func ordered(_ entries: [FileEntry], in file: RequestFile) -> [FileEntry] {
        guard entries.contains(where: { $0.importedFrom != nil }) else { return entries }
        let imported = Dictionary(
            entries.enumerated().compactMap { index, entry in
                entry.importedFrom == nil ? nil : entry.name.map { ($0, index) }
            }
        ) { $1 }
        var (result, isPlaced) = ([FileEntry](), [Bool](repeating: false, count: entries.count))
        func place(_ index: Int) {
            guard !isPlaced[index] else { return }
            isPlaced[index] = true
            let names = entries[index].references(in: file)
            for other in imported.filter({ names.contains($0.key) }).values.sorted() { place(other) }
            result.append(entries[index])
        }
        for index in entries.indices where entries[index].importedFrom == nil { place(index) }
        for index in entries.indices { place(index) }
        return result
    }
}

extension RequestFile {
    /// The file without the entries that its options skip.
    var withoutSkipped: RequestFile {
        var file = self
        file.entries.removeAll { entry in entry.options.contains { $0.name == "skip" && $0.value.source == "true" } }
        return file
    }
}
