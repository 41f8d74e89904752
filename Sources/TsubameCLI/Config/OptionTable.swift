// OptionTable: the options of requests: their names, and whether a value follows.
#if Tool
import ArgumentParser
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// As the parser knows them, asked only when an option is taken back.
struct OptionTable {
    struct Entry {
        /// With their hyphens.
        let names: Set<String>
        let takesValue: Bool
    }

    private struct Dump: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        struct Argument: Decodable {
            let kind: String
            let names: [Name]?
        }

        struct Command: Decodable {
            let arguments: [Argument]?
        }

        let command: Command
    }

    private let entries: [String: Entry]

    init() {
        let dump = try? JSONDecoder().decode(Dump.self, from: Data(RequestCommand._dumpHelp().utf8))
        var entries: [String: Entry] = [:]
        for argument in dump?.command.arguments ?? [] where argument.kind != "positional" {
            let names = Set((argument.names ?? []).map { $0.kind == "long" ? "--\($0.name)" : "-\($0.name)" })
            let entry = Entry(names: names, takesValue: argument.kind == "option")
            for name in names { entries[name] = entry }
        }
        self.entries = entries
    }

    subscript(name: String) -> Entry? { entries[name] }
}

#endif
