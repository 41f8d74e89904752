// RunEnvironment: the variables that a run begins with.

import Synchronization
import Tsubame
import TsubamePlatform
import TsubameRequestFiles

/// Variables of the environment's files and of `--var`, and the pairs of `.env` for `{{$dotenv NAME}}`.
struct RunEnvironment {
    private static let publicName = "http-client.env.json"
    private static let privateName = "http-client.private.env.json"
    private static let settingsName = ".vscode/settings.json"
    private static let settingsKey = "rest-client.environmentVariables"
    /// The folders above a file in which its environments are looked for.
    private static let mostFolders = 32

    let options: VariableOptions
    private let missing = MissingVariables()

    /// The variables for a file: a private environment replaces values of the public one, and `--var` those of both. The
    /// entries of the file get the settings that editors have for them.
    func variables(for file: inout RequestFile) throws -> FileVariables {
        let folder = RequestFolder(of: file.path)
        let dotenv = folder.path(".env")
        let pairs = access(dotenv, F_OK) == 0 ? Self.pairs(of: try RequestFolder.text(of: dotenv)) : []
        let named = Dictionary(pairs.map { ($0.name, $0.value) }) { $1 }
        let given = Dictionary(options.variables.map { ($0.name, $0.value) }) { $1 }
        let generated = GeneratedValues(dotenv: named) { [missing] in missing.warn(about: $0) }
        var variables = FileVariables(given, generated: generated)
        for (name, text) in variablesOfProcess("HURL_VARIABLE_") {
            variables.setDefault(name, FileValue(typed: text))
        }
        // A secret is a text, also if it looks like a number.
        for (name, text) in variablesOfProcess("HURL_SECRET_") {
            variables.setDefault(name, .text(text), isSecret: true)
        }
        var settings = EditorSettings()
        if let path = options.environmentFile, !path.hasSuffix(".json") {
            for pair in Self.pairs(of: try RequestFolder.text(of: path)) {
                variables.setDefault(pair.name, FileValue(typed: pair.value))
            }
        } else {
            try addEnvironments(for: folder, to: &variables, &settings)
        }
        for variable in file.variables { variables.define(variable.name.source, variable.value) }
        settings.apply(to: &file, variables)
        return variables
    }

    /// Adds the environments of `--env-file`, or of the nearest folder that has such files.
    private func addEnvironments(
        for folder: RequestFolder, to variables: inout FileVariables, _ settings: inout EditorSettings
    ) throws {
        let paths: [String]
        if let path = options.environmentFile {
            paths = [path]
        } else {
            let names = [Self.settingsName, Self.publicName, Self.privateName]
            paths =
                Self.folders(above: folder.path).lazy.map { folder in
                    names.map { folder == "/" ? "/\($0)" : "\(folder)/\($0)" }.filter { access($0, R_OK) == 0 }
                }.first { !$0.isEmpty } ?? []
        }
        var isKnown = options.environment == nil
        var found: Set<String> = []
        for path in paths where try add(path, to: &variables, &settings, &found) { isKnown = true }
        if options.environment == nil { variables.environments = found.sorted() }
        guard isKnown else {
            let places = paths.isEmpty ? Self.publicName : paths.joined(separator: " or ")
            let known = found.isEmpty ? "" : " There are \(found.sorted().joined(separator: ", "))."
            throw UsageProblem("There is no environment “\(options.environment ?? "")” in \(places).\(known)")
        }
    }

    /// The folder and those above it.
    private static func folders(above path: String) -> [String] {
        var folders = [FilePath.resolved(path)]
        while let last = folders.last, last.hasPrefix("/"), last != "/", folders.count < mostFolders {
            folders.append(FilePath.folder(of: last))
        }
        return folders
    }

    /// The variables of the process's environment whose names have a prefix: `HURL_VARIABLE_host` is `host`.
    private func variablesOfProcess(_ prefix: String) -> [String: String] {
        var found: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let pair = String(cString: entry)
            if pair.hasPrefix(prefix), let equals = pair.firstIndex(of: "=") {
                let name = pair[..<equals].dropFirst(prefix.count)
                found[String(name)] = String(pair[pair.index(after: equals)...])
            }
            next += 1
        }
        return found
    }

    /// Adds the variables of `$shared` and of the environment that was named.
    /// - Returns: whether the file has that environment.
    private func add(
        _ path: String, to variables: inout FileVariables, _ settings: inout EditorSettings, _ names: inout Set<String>
    ) throws -> Bool {
        var text = try RequestFolder.text(of: path)
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        let isOfEditor = path.hasSuffix(Self.settingsName)
        if isOfEditor { text = JSONComments.removed(from: text) }
        var json: JSONValue
        do throws(JSONSyntax.Fault) {
            json = try JSONValue(text)
        } catch {
            // The settings of an editor are about many things, and the user may not need them here.
            if isOfEditor, options.environment == nil {
                Diagnostics.say("\(path) is no JSON, so its settings have no effect")
                return false
            }
            throw FileProblem(path: path, json: text, error)
        }
        if isOfEditor {
            try settings.read(json, path)
            json = json[Self.settingsKey] ?? .object([])
        }
        guard case .object(let environments) = json else {
            throw UsageProblem("\(path) holds no object with environments.")
        }
        names.formUnion(environments.map(\.name).filter { $0 != "$shared" })
        for name in ["$shared", options.environment].compactMap({ $0 }) {
            guard let found = json[name] else { continue }
            guard let members = found.members else {
                throw UsageProblem("\(path): the environment “\(name)” is no object with variables.")
            }
            for member in members {
                if member.name == "SSLConfiguration" { settings.readTLS(member.value, path) }
                variables.setDefault(member.name, FileValue(member.value))
                if name == "$shared" { variables.setDefault("$shared \(member.name)", FileValue(member.value)) }
            }
        }
        return options.environment.map { json[$0] != nil } ?? true
    }

    /// The lines `name=value`, with or without `export`. A value in quotation marks may have several lines. A comment
    /// begins with `#` after a blank.
    private static func pairs(of text: String) -> [(name: String, value: String)] {
        var (rest, pairs): (Substring, [(name: String, value: String)]) = (text[...], [])
        while !rest.isEmpty {
            var line = rest.prefix { !$0.isNewline }
            rest = rest[line.endIndex...].dropFirst()
            line = line.drop { $0 == " " || $0 == "\t" }
            if line.hasPrefix("export ") { line = line.dropFirst(7) }
            guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
            let name = line[..<equals].filter { $0 != " " && $0 != "\t" }
            let value = line[line.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            guard !name.isEmpty else { continue }
            if let quote = value.first, "\"'`".contains(quote),
                let end = text[value.startIndex...].dropFirst().firstIndex(of: quote)
            {
                let inner = String(text[value.startIndex..<end].dropFirst())
                pairs.append((name, quote == "\"" ? inner.replacing("\\n", with: "\n") : inner))
                if end >= line.endIndex { rest = text[end...].drop { !$0.isNewline }.dropFirst() }
            } else {
                let comment = value.firstRange(of: " #")?.lowerBound ?? value.endIndex
                pairs.append((name, String(value[..<comment]).trimmed))
            }
        }
        return pairs
    }
}

/// Warns about variables of the process's environment that do not exist, about each once.
private final class MissingVariables: Sendable {
    private static let most = 20
    private let named = Mutex<Set<String>>([])

    func warn(about name: String) {
        let (isNew, count) = named.withLock { ($0.count <= Self.most && $0.insert(name).inserted, $0.count) }
        guard isNew else { return }
        Diagnostics.say(
            count > Self.most
                ? "warning: the environment has no further variables, which are empty as well"
                : "warning: the environment has no variable \(name), so its value is empty")
    }
}
