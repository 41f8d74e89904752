// ValueReading: takes the value of a query from a response, and changes it by filters.

import TsubameWire

/// The reason why a query or a filter has no value that could be checked.
package struct ValueProblem: Error, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// Reads values of one response with the variables of its file.
package struct ValueReading {
    let message: ReceivedMessage
    let variables: FileVariables
    /// Reads a file that an assert names.
    let readFile: (String) throws(ValueProblem) -> [UInt8]
    /// Whether a JSONPath always gives a list.
    let keepsLists: Bool

    package init(
        message: ReceivedMessage, variables: FileVariables, keepsLists: Bool = false,
        readFile: @escaping (String) throws(ValueProblem) -> [UInt8] = { _ throws(ValueProblem) in
            throw ValueProblem("files cannot be read here")
        }
    ) {
        self.message = message
        self.variables = variables
        self.keepsLists = keepsLists
        self.readFile = readFile
    }

    /// The value of a path; nil if the response has none.
    package func value(of path: ValuePath) throws(ValueProblem) -> FileValue? {
        var value = try value(of: path.query)
        for filter in path.filters {
            guard let present = value else { return nil }
            value = try apply(filter, to: present)
        }
        return value
    }

    // MARK: Queries

    private func value(of query: Query) throws(ValueProblem) -> FileValue? {
        switch query {
        case .status: return .integer(Int128(message.status))
        case .version: return .text(String(message.version.dropFirst("HTTP/".count)))
        case .url: return .text(message.url)
        case .ip: return message.address.isEmpty ? nil : .text(message.address)
        case .body: return .text(try bodyText())
        case .bytes: return .bytes(message.body)
        case .rawBytes: return .bytes(message.receivedBody)
        case .duration: return .integer(Int128(message.milliseconds))
        case .sha256: return .bytes(SHA256.digest(message.body))
        case .md5: return .bytes(MD5.digest(message.body))
        case .redirects: return .list(message.redirects.map { .object([("location", .text($0))]) })
        case .header(let name):
            let values = message.values(of: try variables.text(of: name))
            return values.isEmpty ? nil : values.count == 1 ? .text(values[0]) : .list(values.map { .text($0) })
        case .cookie(let name): return try cookie(variables.text(of: name))
        case .jsonPath(let path): return try jsonPath(variables.text(of: path), in: json(bodyText(), isBody: true))
        case .regex(let pattern): return try Self.group(variables.pattern(of: pattern), in: bodyText())
        case .variable(let name): return variables[try variables.text(of: name)]
        case .xpath(let path): return try Self.xpath(variables.text(of: path), in: bodyText(), isHTML: message.isHTML)
        case .certificate(let name): return try certificate(variables.text(of: name))
        }
    }

    private func bodyText() throws(ValueProblem) -> String {
        guard let text = message.text else { throw ValueProblem("the body is no text of its charset") }
        return text
    }

    func json(_ text: String, isBody: Bool = false) throws(ValueProblem) -> JSONValue {
        do throws(JSONSyntax.Fault) {
            return try isBody ? message.parsed.json(of: text) : JSONValue(text)
        } catch {
            throw ValueProblem(
                error.isTooDeep
                    ? "the body is JSON that is nested too deep" : "the body is no JSON at byte \(error.offset + 1)")
        }
    }

    /// The values that a query selects. As in Hurl, a single value stands for itself, and none is no value, unless
    /// ``keepsLists`` is set.
    func jsonPath(_ text: String, in json: JSONValue) throws(ValueProblem) -> FileValue? {
        let path: JSONPath
        do throws(JSONPath.Problem) {
            path = try JSONPath(text)
        } catch {
            throw ValueProblem("the JSONPath is wrong at character \(error.offset + 1): \(error.reason)")
        }
        do throws(JSONPath.TooMany) {
            let found = try path.values(in: json)
            if keepsLists { return .list(found.map(FileValue.init)) }
            if found.count < 2 { return found.first.map(FileValue.init) }
            return .list(found.map(FileValue.init))
        } catch {
            throw ValueProblem(
                "the JSONPath selects more than \(JSONPath.maximumValues) values, or has a pattern that takes too long")
        }
    }

    static func match(_ pattern: Pattern, in text: String) throws(ValueProblem) -> Pattern.Match? {
        do throws(Pattern.TooMuchWork) {
            return try pattern.firstMatch(in: text)
        } catch {
            throw ValueProblem("the text is too long for this pattern, whose repetitions are many places")
        }
    }

    /// The first group of a pattern.
    static func group(_ pattern: Pattern, in text: String) throws(ValueProblem) -> FileValue? {
        guard let match = try match(pattern, in: text) else { return nil }
        guard match.groups.count > 1 else { throw ValueProblem("the pattern has no group in parentheses") }
        return match.groups[1].map { .text($0) }
    }

    /// A fact about the certificate, such as `Subject`; nil if the connection had none.
    private func certificate(_ name: String) throws(ValueProblem) -> FileValue? {
        if message.certificate.isEmpty { return nil }
        let found = message.certificate.first { $0.name.lowercased() == name.lowercased() }
        guard let found else {
            let known = message.certificate.map(\.name).joined(separator: ", ")
            throw ValueProblem("“\(name)” is no attribute of a certificate; there are \(known)")
        }
        return found.value
    }

    /// The value of an XPath query; nil if it selects nothing.
    static func xpath(_ path: String, in text: String, isHTML: Bool) throws(ValueProblem) -> FileValue? {
        do throws(XPathQuery.Problem) {
            switch try XPathQuery.evaluate(path, in: text, isHTML: isHTML) {
            case .nodes(let nodes): return nodes.isEmpty ? nil : .list(nodes.map { .text($0) })
            case .bool(let value): return .bool(value)
            case .number(let number): return Int128(exactly: number).map { .integer($0) } ?? .number(number)
            case .text(let text): return .text(text)
            }
        } catch {
            throw ValueProblem(error.reason)
        }
    }

    /// `name`, or `name[Attribute]`. The last cookie of the name counts.
    private func cookie(_ path: String) throws(ValueProblem) -> FileValue? {
        let name = String(path.prefix { $0 != "[" })
        let attribute = path.dropFirst(name.count).isEmpty ? nil : String(path.dropFirst(name.count + 1).dropLast())
        let cookies = message.values(of: "set-cookie").compactMap { line -> (value: String, attributes: [Substring])? in
            let parts = line.split(separator: ";", omittingEmptySubsequences: false)
            guard let pair = parts.first, let equals = pair.firstIndex(of: "="),
                String(pair[..<equals]).trimmed == name
            else { return nil }
            return (String(pair[pair.index(after: equals)...]).trimmed, Array(parts.dropFirst()))
        }
        guard let last = cookies.last else { return nil }
        guard let attribute, attribute.lowercased() != "value" else { return .text(last.value) }
        for part in last.attributes {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String($0).trimmed
            }
            guard pair[0].lowercased() == attribute.lowercased() else { continue }
            if pair.count == 1 { return .bool(true) }
            if attribute.lowercased() == "expires" {
                let formats = ["%a, %d %b %Y %H:%M:%S %Z", "%a, %d-%b-%Y %H:%M:%S %Z"]
                if let date = formats.lazy.compactMap({ FileDate(pair[1], format: $0) }).first { return .date(date) }
            }
            return Int128(pair[1]).map { .integer($0) } ?? .text(pair[1])
        }
        return nil
    }
}
