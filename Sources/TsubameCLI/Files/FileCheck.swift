// FileCheck: the mistakes of a file that show without sending anything.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

enum FileCheck {
    /// Wrong options, files that are missing, and expressions that can have no value, in the order of the entries.
    static func problems(in file: RequestFile) -> [FileProblem] {
        // Later entries may read these.
        var written: Set<String> = []
        var names = Set(file.entries.filter { $0.importedFrom != nil }.compactMap(\.name))
        var problems: [FileProblem] = []
        for entry in file.entries {
            problems += Self.problems(in: entry, file, names, written)
            if let name = entry.name { names.insert(name) }
            written.formUnion(entry.options.filter { $0.name.hasPrefix("output") }.map(\.value.source))
        }
        return problems
    }

    private static func problems(
        in entry: FileEntry, _ file: RequestFile, _ names: Set<String>, _ written: Set<String>
    ) -> [FileProblem] {
        var problems = entry.refusal.map { [$0] } ?? []
        var variables = FileVariables()
        var fixed = entry
        fixed.options = entry.options.filter { $0.value.plain != nil && $0.name != "variable" }
        do throws(EntryProblem) {
            _ = try EntryOptions(of: fixed, [], &variables)
        } catch {
            problems.append(problem(error.place, error.reason, entry, file))
        }
        let folder = RequestFolder(of: entry.importedFrom ?? file.path)
        for path in entry.readPaths.compactMap(\.plain) where !written.contains(path) {
            do throws(ValueProblem) {
                let status = FileStatus(of: try folder.readablePath(path))
                guard let status, status.kind != .folder else { throw ValueProblem("there is no file \(path)") }
            } catch {
                problems.append(problem(entry.place, error.reason, entry, file))
            }
        }
        for template in entry.templates {
            for case .expression(let text, let place) in template.parts {
                if let reason = fault(of: text, names, variables) {
                    problems.append(problem(place, reason, entry, file))
                }
            }
        }
        return problems
    }

    /// Finds questions of the chosen entries that have no answer.
    static func answered(_ file: RequestFile, _ variables: FileVariables) throws(FileProblem) {
        for entry in file.entries {
            for prompt in entry.prompts where variables[prompt.name.source] == nil {
                let text = prompt.value.source.isEmpty ? "" : " (\(prompt.value.source))"
                let name = prompt.name.source
                throw problem(
                    prompt.place, "the request asks for \(name)\(text): give --var \(name)=…", entry, file)
            }
        }
    }

    /// Why an expression can have no value; nil if it may have one.
    private static func fault(of text: String, _ names: Set<String>, _ variables: FileVariables) -> String? {
        if text.hasPrefix("$"), !text.hasPrefix("$shared "), !text.contains("%") {
            // Values of the environment are known only in the run.
            let word = text.dropFirst().prefix { $0 != " " && $0 != "(" }
            guard !["processEnv", "dotenv"].contains(word), !word.hasPrefix("env.") else { return nil }
            do throws(ValueProblem) {
                _ = try variables.value(of: text)
                return nil
            } catch {
                return error.reason
            }
        }
        guard text.contains(".response.") || text.contains(".request."), let name = text.split(separator: ".").first,
            !names.contains(String(name))
        else { return nil }
        return "no entry before this one has the name \(name)"
    }

    private static func problem(
        _ place: FilePlace, _ reason: String, _ entry: FileEntry, _ file: RequestFile
    ) -> FileProblem {
        FileProblem(path: entry.importedFrom ?? file.path, place: place, reason: reason, text: "")
    }
}
