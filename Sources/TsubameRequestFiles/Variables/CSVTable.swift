// CSVTable: the rows of a table in comma-separated values (RFC 4180).

/// The first row names the columns. A field in quotation marks may contain commas, line ends and doubled quotation
/// marks.
package struct CSVTable: Sendable {
    /// Each row has a value for each column.
    package let rows: [[(name: String, value: String)]]

    package struct Problem: Error, Equatable {
        /// The line, counted from 1.
        package let line: Int
        package let reason: String
    }

    package init(_ text: String) throws(Problem) {
        var records: [(line: Int, fields: [String])] = []
        var (fields, field): ([String], String.UnicodeScalarView) = ([], String.UnicodeScalarView())
        var (line, start, isQuoted, wasQuoted) = (1, 1, false, false)
        func isEmptyRecord() -> Bool { fields.isEmpty && field.isEmpty && !wasQuoted }
        func endField() {
            fields.append(String(field))
            field.removeAll()
            wasQuoted = false
        }
        func endRecord() {
            if !isEmptyRecord() {
                endField()
                records.append((start, fields))
            }
            fields = []
            start = line
        }
        let scalars = Array(text.unicodeScalars)
        var index = scalars.first == "\u{FEFF}" ? 1 : 0
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            if scalar == "\n" { line += 1 }
            switch scalar {
            case "\"" where isQuoted:
                if index < scalars.count, scalars[index] == "\"" {
                    field.append("\"")
                    index += 1
                } else {
                    isQuoted = false
                }
            case _ where isQuoted: field.append(scalar)
            case "\"" where field.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
            case ",": endField()
            case "\n": endRecord()
            case "\r" where index < scalars.count && scalars[index] == "\n": break
            default: field.append(scalar)
            }
        }
        if isQuoted { throw Problem(line: start, reason: "a field in quotation marks does not end") }
        endRecord()
        guard let names = records.first?.fields else {
            rows = []
            return
        }
        var rows: [[(name: String, value: String)]] = []
        for record in records.dropFirst() {
            guard record.fields.count == names.count else {
                throw Problem(
                    line: record.line,
                    reason: "the row has \(record.fields.count) fields, and the first row \(names.count)")
            }
            rows.append(zip(names, record.fields).map { ($0, $1) })
        }
        self.rows = rows
    }
}
