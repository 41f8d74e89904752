// FuzzTarget+Requests: files of requests, and the small languages within them.

import TsubameRequestFiles

extension FuzzTarget {
    /// The texts of an input whose parts are separated by the byte 0.
    private static func texts(_ bytes: [UInt8], _ count: Int) -> [String]? {
        let parts = bytes.split(separator: 0, maxSplits: count - 1, omittingEmptySubsequences: false)
        let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
        return texts.count == count ? texts : nil
    }

    static let requests = [
        FuzzTarget("http-file", upTo: 2_048) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self),
                let file = try? HTTPFileParser.parse(text, path: "a.http")
            else { return }
            let written = HTTPFileWriter(file).text
            guard let again = try? HTTPFileParser.parse(written, path: "b.http") else {
                throw Finding("a file that was written cannot be read:\n\(written)")
            }
            try requireEqual(HTTPFileWriter(again).text, written, "the written file changed")
            guard let formatted = try? FileFormatter.http(text, path: "a.http"),
                let twice = try? FileFormatter.http(formatted, path: "a.http")
            else { throw Finding("a file that was formatted cannot be read") }
            try requireEqual(twice, formatted, "the formatted file changed")
            let hurl = HurlWriter(file).text
            do { _ = try HurlParser.parse(hurl, path: "a.hurl") } catch { throw Finding("\(error)\n\(hurl)") }
        },
        FuzzTarget("hurl-file", upTo: 2_048) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self),
                let file = try? HurlParser.parse(text, path: "a.hurl")
            else { return }
            let written = HurlWriter(file).text
            let again: RequestFile
            do {
                again = try HurlParser.parse(written, path: "b.hurl")
            } catch {
                throw Finding("a file that was written cannot be read: \(error)\n\(written)")
            }
            try requireEqual(HurlWriter(again).text, written, "the written file changed")
            guard let formatted = try? FileFormatter.hurl(text, path: "a.hurl"),
                let twice = try? FileFormatter.hurl(formatted, path: "a.hurl")
            else { throw Finding("a file that was formatted cannot be read") }
            try requireEqual(twice, formatted, "the formatted file changed")
            let http = HTTPFileWriter(file).text
            do { _ = try HTTPFileParser.parse(http, path: "a.http") } catch { throw Finding("\(error)\n\(http)") }
        },
        FuzzTarget("json-path", upTo: 1_024) { bytes in
            guard let texts = texts(bytes, 2), let path = try? JSONPath(texts[0]), let json = try? JSONValue(texts[1])
            else { return }
            _ = try? path.values(in: json)
        },
        // libxml2, which does the work, is not instrumented.
        FuzzTarget("xpath", upTo: 2_048, needs: "libxml2", isAvailable: { XPathQuery.isAvailable }) { bytes in
            guard let texts = texts(bytes, 2) else { return }
            let isWrong = XPathQuery.isWrong(texts[0])
            for isHTML in [false, true] {
                let outcome = try? XPathQuery.evaluate(texts[0], in: texts[1], isHTML: isHTML)
                try require(!isWrong || outcome == nil, "an expression that is wrong has a value: \(texts[0])")
            }
        },
        FuzzTarget("pattern", upTo: 1_024) { bytes in
            guard let texts = texts(bytes, 2), let pattern = try? Pattern(texts[0]) else { return }
            _ = try? pattern.firstMatch(in: texts[1])
        },
        FuzzTarget("shell-line", upTo: 1_024) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self),
                let commands = try? ShellLine.commands(in: text, variable: { $0 })
            else { return }
            for command in commands {
                _ = try? CurlLine(Array(command.dropFirst())) { path throws(ShellLine.Problem) in path }
            }
        },
        FuzzTarget("postman", upTo: 4_096) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self), let json = try? JSONValue(text),
                let reader = try? PostmanReader(json, path: "a.json")
            else { return }
            let written = PostmanWriter(reader.file, name: "a").json
            guard let again = try? PostmanReader(written, path: "b.json") else {
                throw Finding("a collection that was written cannot be read:\n\(written.indentedText)")
            }
            try requireEqual(PostmanWriter(again.file, name: "a").json, written, "the written collection changed")
        },
        FuzzTarget("json-value", upTo: 2_048) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self), let json = try? JSONValue(text) else { return }
            guard let again = try? JSONValue(json.indentedText), let compact = try? JSONValue(json.compactText) else {
                throw Finding("JSON that was written cannot be read: \(json.compactText)")
            }
            try require(again == json && compact == json, "the value changed: \(json.compactText)")
        },
        FuzzTarget("table", upTo: 1_024) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self), let table = try? CSVTable(text) else { return }
            let names = table.rows.first?.map(\.name)
            try require(table.rows.allSatisfy { $0.map(\.name) == names }, "the rows have other columns")
        },
        FuzzTarget("file-date", upTo: 256) { bytes in
            guard let texts = texts(bytes, 2), let date = FileDate(texts[0], format: texts[1]) else { return }
            _ = (date.formatted(texts[1]), date.formatted(texts[1], isLocal: true), date.adding(months: 13)?.text)
        },
    ]
}
