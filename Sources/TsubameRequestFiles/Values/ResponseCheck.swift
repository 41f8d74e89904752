// ResponseCheck: whether a response has the version, status, fields and body that an entry expects.

extension ValueReading {
    /// The failures of the line `HTTP 200` and of the fields below it.
    package func failures(ofHead expected: ExpectedResponse) -> [AssertionFailure] {
        var failures: [AssertionFailure] = []
        func fail(_ place: FilePlace, _ text: String, _ actual: String, _ wanted: String) {
            failures.append(AssertionFailure(place: place, text: text, actual: actual, expected: wanted))
        }
        if let version = expected.version, version != message.version {
            fail(expected.place, version, message.version, version)
        }
        if let status = expected.status, status != message.status {
            fail(expected.place, "HTTP \(status)", "\(message.status)", "\(status)")
        }
        for field in expected.fields {
            do throws(ValueProblem) {
                let (name, value) = (try variables.text(of: field.name), try variables.text(of: field.value))
                let values = message.values(of: name)
                guard !values.contains(value) else { continue }
                fail(field.place, "\(name): \(value)", values.isEmpty ? "none" : values.joined(separator: ", "), value)
            } catch {
                fail(field.place, field.name.source, error.reason, field.value.source)
            }
        }
        return failures
    }

    /// The most bytes of a JSON body that is compared line by line.
    private static let indentedBytes = 64 << 10

    /// The failure of the body that is expected as a whole. JSON is compared by its values, other text as it is.
    package func failure(ofBody expected: ExpectedResponse) throws(ValueProblem) -> AssertionFailure? {
        guard let body = expected.body else { return nil }
        let place = expected.bodyPlace ?? expected.place
        func failure(_ actual: String, _ wanted: String) -> AssertionFailure {
            AssertionFailure(place: place, text: "the body", actual: actual, expected: wanted)
        }
        let wanted: [UInt8]
        switch body {
        case .bytes(let bytes): wanted = bytes
        case .file(let path): wanted = try readFile(variables.text(of: path))
        case .pieces: throw ValueProblem("a body with files between is no body to compare with")
        case .text(let template, let kind):
            var text = try variables.text(of: template)
            if kind == .graphQL { text = GraphQLQuery.json(of: text) }
            guard let actual = message.text else { return failure("bytes that are no text", text) }
            if kind == .json || kind == .graphQL, let left = try? JSONValue(actual), let right = try? JSONValue(text) {
                if left == right { return nil }
                // The lines of a deep value would be mostly blanks.
                let isShort = actual.utf8.count <= Self.indentedBytes
                return TextDifference.failure(
                    isShort ? left.indentedText : left.compactText, isShort ? right.indentedText : right.compactText,
                    failure)
            }
            return actual.utf8.elementsEqual(text.utf8) ? nil : TextDifference.failure(actual, text, failure)
        }
        guard wanted != message.body else { return nil }
        return failure(FileValue.bytes(message.body).shown, FileValue.bytes(wanted).shown)
    }
}

/// The part in which two texts differ.
enum TextDifference {
    private static let maximum = 65_536

    /// Shows both from the line that differs first. Of a long line it shows the part that differs.
    static func failure(
        _ actual: String, _ wanted: String, _ make: (String, String) -> AssertionFailure
    ) -> AssertionFailure {
        let left = actual.split(separator: "\n", omittingEmptySubsequences: false)
        let right = wanted.split(separator: "\n", omittingEmptySubsequences: false)
        if left.count == 1, right.count == 1 { return make(shortened(left[0]), shortened(right[0])) }
        let index = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let line = index ?? min(left.count, right.count)
        func shown(_ lines: [Substring]) -> String {
            line < lines.count ? "line \(line + 1): \(shortened(lines[line]))" : "only \(lines.count) lines"
        }
        return make(shown(left), shown(right))
    }

    private static func shortened(_ text: Substring) -> String {
        text.count > maximum ? text.prefix(maximum) + "…" : String(text)
    }
}
