// FileVariables: the variables of a run, and the texts with expressions that use them.

import TsubameCore

/// The values that expressions between double braces have.
///
/// An expression is first looked for among given and captured values. Generated values such as `$guid`, the variables of
/// the file and those of the environment follow. Last it may mean a part of a named request or its response.
package struct FileVariables: Sendable {
    /// A named entry after it ran.
    package struct Answer: Sendable {
        package let request: ReceivedMessage
        package let response: ReceivedMessage

        package init(request: ReceivedMessage, response: ReceivedMessage) {
            (self.request, self.response) = (request, response)
        }
    }

    /// Definitions may use each other to this depth. A definition that uses itself ends here.
    private static let maximumDepth = 32
    /// The longest text that expressions may give, in bytes.
    static let maximumText = 64 << 20
    /// Definitions that use others may need this many of them for one text.
    private static let maximumExpansions = 10_000

    private var values: [String: FileValue]
    private var definitions: [String: TemplateText] = [:]
    /// The variables of the environment, which the file may define anew.
    private var defaults: [String: TemplateText] = [:]
    private var typedDefaults: [String: FileValue] = [:]
    private var answers: [String: Answer] = [:]
    /// Values that no text contains, such as the time and random numbers.
    private let generated: GeneratedValues
    /// The values that reports must not show.
    package private(set) var secrets: Set<String> = []

    package init(_ values: [String: FileValue] = [:], generated: GeneratedValues = GeneratedValues()) {
        self.values = values
        self.generated = generated
    }

    /// The value that was given, captured or set by an environment.
    package subscript(name: String) -> FileValue? { values[name] ?? typedDefaults[name] }

    package mutating func set(_ name: String, _ value: FileValue, isSecret: Bool = false) {
        values[name] = value
        if isSecret, !value.text.isEmpty { secrets.insert(value.text) }
    }

    /// A later definition replaces an earlier one, but no value that was given.
    package mutating func define(_ name: String, _ text: TemplateText) { definitions[name] = text }

    /// Sets a variable of an environment. Text may have expressions.
    package mutating func setDefault(_ name: String, _ value: FileValue, isSecret: Bool = false) {
        if isSecret, !value.text.isEmpty { secrets.insert(value.text) }
        (defaults[name], typedDefaults[name]) = (nil, nil)
        if case .text(let text) = value, text.contains("{{") {
            defaults[name] = TemplateText(parsing: text)
        } else {
            typedDefaults[name] = value
        }
    }

    /// Whether requests are sent, so that entries can use responses.
    package var hasAnswers = true

    /// The environments of which none was chosen, for messages.
    package var environments: [String] = []

    /// Keeps the text from all output.
    package mutating func hide(_ text: String) { if !text.isEmpty { secrets.insert(text) } }

    package mutating func keep(_ answer: Answer, of name: String) { answers[name] = answer }

    /// The texts that no output shows, the longest first. A secret may stand in a URL, in a form and in JSON, too.
    package var hiddenTexts: [String] {
        // A server reads the escapes of a secret in a URL.
        let spelled = secrets.flatMap { [$0, PercentEncoding.decodeLeniently($0)] }
        let forms = spelled.flatMap { secret in
            let json = String(JSONSyntax.string(secret).dropFirst().dropLast())
            let plain = secret.replacing("\\", with: "\\\\")
            // Go escapes what HTML has a meaning for, PHP may, and .NET escapes more. PHP escapes slashes, too.
            let escaped = [
                Self.escaped(json, "", isUpper: false), Self.escaped(json, "", isUpper: true),
                Self.escaped(json, "&<>", isUpper: false), Self.escaped(json, "&<>'", isUpper: true),
                Self.escaped(plain, "\"&'+<>`", isUpper: true),
            ]
            let inJSON = ([json] + escaped).flatMap { [$0, $0.replacing("/", with: "\\/")] }
            // Parts of a URL keep different characters.
            let encoded = ["", "/", "/:@!$&'()*,;=+?", "/:@!$'()*,;?"].flatMap { kept in
                // A percent sign may stay as it is.
                [kept, kept + "%"].map { PercentEncoding.encode(secret, allowing: ASCIISet($0)) }
            }
            let inURL = encoded.flatMap {
                [$0, $0.replacing("%20", with: "+"), $0.lowercased(), Self.lowercasedEscapes($0)]
            }
            return [secret, secret.lowercased(), secret.replacing("+", with: " ")] + inJSON + inURL
        }
        return Set(forms).sorted { $0.utf8.count > $1.utf8.count }
    }

    /// The text with `\u` escapes for these characters, and for all that are not ASCII.
    private static func escaped(_ text: String, _ characters: String, isUpper: Bool) -> String {
        text.utf16.map { unit in
            if unit < 0x80, !characters.utf16.contains(unit) { return String(UnicodeScalar(UInt8(unit))) }
            let digits = String(unit, radix: 16, uppercase: isUpper)
            return "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
        }.joined()
    }

    /// The text with the digits of its percent-escapes in lower case, as .NET writes them.
    private static func lowercasedEscapes(_ text: String) -> String {
        text.split(separator: "%", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset == 0 ? String($0.element) : $0.element.prefix(2).lowercased() + $0.element.dropFirst(2) }
            .joined(separator: "%")
    }

    /// The text of a report without the values that it must not show.
    package func redacted(_ text: String) -> String {
        Self.hiding(hiddenTexts, in: text)
    }

    /// The text with asterisks for these texts, also where a combining character follows one of them.
    package static func hiding(_ texts: [String], in text: String) -> String {
        texts.reduce(text) { UTF8Text.replacing($1, in: $0, by: "***") }
    }

    package func value(of expression: String, depth: Int = 0) throws(ValueProblem) -> FileValue {
        if let value = values[expression] { return value }
        if expression.hasPrefix("$shared "), let value = typedDefaults[expression] { return value }
        // `{{%name}}` is the value with percent-encoding.
        if expression.hasPrefix("%") {
            guard depth < Self.maximumDepth else { throw ValueProblem("the name of a variable begins with too many %") }
            let text = try value(of: String(expression.dropFirst()), depth: depth + 1).text
            return .text(PercentEncoding.encode(Array(text.utf8)))
        }
        if let value = try generated.value(of: expression, in: self, depth: depth) { return value }
        if let value = typedDefaults[expression], definitions[expression] == nil { return value }
        if let definition = definitions[expression] ?? defaults[expression] {
            guard depth < Self.maximumDepth else {
                throw ValueProblem(
                    "the variable \(expression) uses itself, or more than \(Self.maximumDepth) others in a row")
            }
            guard expansions(of: definition) <= Self.maximumExpansions else {
                throw ValueProblem(
                    "the variable \(expression) uses itself, or more than \(Self.maximumExpansions) others")
            }
            return .text(try text(of: definition, depth: depth + 1))
        }
        if let value = member(expression) { return value }
        let parts = expression.split(separator: ".", maxSplits: 1).map(String.init)
        if parts.count == 2, let answer = answers[parts[0]] { return try answer.value(of: parts[1], named: expression) }
        throw ValueProblem("there is no variable \(expression)\(hint(for: expression))")
    }

    /// A member of a value that is an object, such as `user.name`.
    private func member(_ path: String) -> FileValue? {
        let names = path.split(separator: ".").map(String.init)
        guard names.count > 1, var value = self[names[0]] else { return nil }
        for name in names.dropFirst() {
            guard case .object(let members) = value, let next = members.last(where: { $0.name == name }) else {
                return nil
            }
            value = next.value
        }
        return value
    }

    /// The number of definitions that a text needs, as far as they are counted.
    private func expansions(of template: TemplateText) -> Int {
        var (waiting, count) = ([template], 0)
        while let next = waiting.popLast(), count <= Self.maximumExpansions {
            count += 1
            for case .expression(let name, _) in next.parts {
                if let definition = definitions[name] ?? defaults[name] { waiting.append(definition) }
            }
        }
        return count
    }

    private func hint(for expression: String) -> String {
        if let name = expression.split(separator: ".").first,
            expression.contains(".response.") || expression.contains(".request.")
        {
            return hasAnswers
                ? "; no entry before this one has the name \(name)"
                : "; an entry cannot use the response of another one here"
        }
        let all = environments.joined(separator: ", ")
        let environment = environments.isEmpty ? "" : "; no environment is chosen, and there are \(all): give --env"
        let known = Set(values.keys).union(definitions.keys).union(defaults.keys).union(typedDefaults.keys).sorted()
        return environment + (known.isEmpty ? "" : "; these are set: \(known.prefix(20).joined(separator: ", "))")
    }

    /// The text with the values of its expressions.
    package func text(of template: TemplateText, depth: Int = 0) throws(ValueProblem) -> String {
        var text = ""
        for part in template.parts {
            switch part {
            case .text(let plain): text += plain
            case .expression(let name, _): text += try value(of: name, depth: depth).text
            }
            guard text.utf8.count <= Self.maximumText else {
                throw ValueProblem("the text with its expressions is longer than 64 MiB")
            }
        }
        return text
    }

    func pattern(of pattern: PatternText) throws(ValueProblem) -> Pattern {
        switch pattern {
        case .fixed(let pattern, _): return pattern
        case .template(let template):
            let text = try text(of: template)
            do throws(Pattern.Problem) {
                return try Pattern(text)
            } catch {
                throw ValueProblem("the pattern is wrong at character \(error.offset + 1): \(error.reason)")
            }
        }
    }
}

extension FileVariables.Answer {
    /// `response.body.$.token`, `response.body.*`, `response.headers.Location`, and the same of the request.
    fileprivate func value(of path: String, named expression: String) throws(ValueProblem) -> FileValue {
        let steps = path.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        let message: ReceivedMessage
        switch steps.first {
        case "request": message = request
        case "response": message = response
        default: throw ValueProblem("\(expression) names neither request nor response")
        }
        switch (steps.count > 1 ? steps[1] : "", steps.count > 2 ? steps[2] : "") {
        case ("status", ""): return .integer(Int128(message.status))
        case ("headers", let name):
            guard let value = message.values(of: name).first else {
                throw ValueProblem("\(expression) has no value: there is no field \(name)")
            }
            return .text(value)
        case ("body", ""), ("body", "*"):
            guard let text = message.text else { throw ValueProblem("\(expression) is no text") }
            return .text(text)
        case ("body", let query):
            let reading = ValueReading(message: message, variables: FileVariables())
            let isXPath = query.hasPrefix("/")
            let text = TemplateText(query.hasPrefix("$") || isXPath ? query : "$.\(query)")
            let path = ValuePath(
                query: isXPath ? .xpath(text) : .jsonPath(text), filters: [], place: FilePlace(line: 1, column: 1))
            switch try reading.value(of: path) {
            case .list(let values)? where isXPath && values.count == 1: return values[0]
            case let value?: return value
            case nil: throw ValueProblem("\(expression) has no value in that body")
            }
        default: throw ValueProblem("\(expression) names neither status, headers nor body")
        }
    }
}
