// EntryLoop: the variables of each run of an entry that is repeated.

import Tsubame
import TsubameRequestFiles

enum EntryLoop {
    /// The variables of each run: one run without variables for an entry that is not repeated.
    static func rounds(of entry: FileEntry, _ folder: RequestFolder) throws(EntryProblem) -> [[(String, FileValue)]] {
        switch entry.loop {
        case nil: return [[]]
        case .times(let count): return (0..<count).map { [("index", .integer(Int128($0)))] }
        case .rows(let name, let path):
            do throws(ValueProblem) {
                return try rows(of: path, folder).enumerated().map { index, row in
                    var variables: [(String, FileValue)] = [(name, row), ("index", .integer(Int128(index)))]
                    if case .object(let members) = row {
                        variables += members.map { ("\(name).\($0.name)", $0.value) }
                    }
                    return variables
                }
            } catch {
                throw EntryProblem(entry.place, error.reason)
            }
        }
    }

    /// A field of a table: a number, `true` or `false` only if its text stays the same, so that `007` is a text.
    private static func value(ofField text: String) -> FileValue {
        let typed = FileValue(typed: text)
        return text != "null" && typed.text == text ? typed : .text(text)
    }

    /// The rows of a CSV file, or the elements of a JSON array.
    private static func rows(of path: String, _ folder: RequestFolder) throws(ValueProblem) -> [FileValue] {
        guard let text = String(validating: try folder.read(path), as: UTF8.self) else {
            throw ValueProblem("\(path) is no text in UTF-8")
        }
        guard path.lowercased().hasSuffix(".json") else {
            do throws(CSVTable.Problem) {
                return try CSVTable(text).rows.map { row in .object(row.map { ($0.name, value(ofField: $0.value)) }) }
            } catch {
                throw ValueProblem("\(path):\(error.line): \(error.reason)")
            }
        }
        do throws(JSONSyntax.Fault) {
            if let elements = try JSONValue(text).elements { return elements.map(FileValue.init) }
        } catch {
            throw ValueProblem("\(path) is no JSON at byte \(error.offset + 1)")
        }
        throw ValueProblem("\(path) is no list")
    }
}
