// RequestHeaders: the fields of a request, with names as text or as HTTPField.Name.

public import HTTPTypes

/// The fields of a request.
///
/// ```swift
/// request.headers[.accept] = "application/json"
/// request.headers["X-Api-Key"] = key
/// let users = try await client.get("users", headers: ["X-Api-Key": key, .accept: "application/json"])
/// ```
/// An invalid name, or a value with a control character, is not added. The first such problem is kept instead, and every
/// way to send the request throws it as ``CallError/Kind/invalidRequest``. Names are compared without regard to case.
public struct RequestHeaders: Sendable, ExpressibleByDictionaryLiteral {
    @usableFromInline
    final class Problem: Sendable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    /// The valid fields, as a value of HTTPTypes.
    public package(set) var fields: HTTPFields
    @usableFromInline var firstProblem: Problem?

    /// No fields.
    public init() { fields = HTTPFields() }

    /// The fields of a value of HTTPTypes.
    public init(_ fields: HTTPFields) { self.fields = fields }

    /// The fields of a dictionary, in the order of their names.
    public init(_ dictionary: [String: String]) {
        self.init()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(name, value) }
    }

    /// The fields of a literal. A name may occur several times.
    public init(dictionaryLiteral elements: (HeaderName, String)...) {
        self.init()
        for (name, value) in elements {
            if let name = name.name { append(name, value) } else { refuse(name.text) }
        }
    }

    /// The first name or value that was refused, as a clause for an error; nil if all are valid.
    package var problem: String? { firstProblem?.text }

    @inlinable package var isValid: Bool { firstProblem == nil }

    // MARK: Reading and changing

    /// The value of the field; nil if there is none. Several fields of that name are joined by `, `, and those
    /// of Cookie by `; `. Setting replaces
    /// all fields of that name, and nil removes them.
    public subscript(name: HTTPField.Name) -> String? {
        get { fields[name] }
        set { set(name, newValue.map { [$0] } ?? []) }
    }

    /// The value of the field with this name.
    public subscript(name: String) -> String? {
        get { HTTPField.Name(name).flatMap { fields[$0] } }
        set {
            guard let name = valid(name) else { return }
            self[name] = newValue
        }
    }

    /// The values of all fields of that name, in their order. Setting replaces them.
    public subscript(values name: HTTPField.Name) -> [String] {
        get { fields[values: name] }
        set { set(name, newValue) }
    }

    /// The values of all fields with this name.
    public subscript(values name: String) -> [String] {
        get { HTTPField.Name(name).map { fields[values: $0] } ?? [] }
        set {
            guard let name = valid(name) else { return }
            self[values: name] = newValue
        }
    }

    /// Whether there is a field of that name.
    public func contains(_ name: HTTPField.Name) -> Bool { fields.contains(name) }

    /// Whether there is a field with this name.
    public func contains(_ name: String) -> Bool { HTTPField.Name(name).map { fields.contains($0) } ?? false }

    /// Adds a field after those of the same name.
    public mutating func append(_ name: HTTPField.Name, _ value: String) {
        if isValid(value, of: name) { append(HTTPField(name: name, value: value)) }
    }

    /// Adds a field after those with the same name.
    public mutating func append(_ name: String, _ value: String) {
        if let name = valid(name) { append(name, value) }
    }

    /// Adds a field after those of the same name.
    public mutating func append(_ field: HTTPField) {
        let count = fields.count
        fields.appendSafely(field)
        if fields.count == count { keep("a field \"\(Redaction.printable(field.name.rawName))\" cannot be added") }
    }

    /// Adds all fields of a value of HTTPTypes, or of other headers.
    public mutating func append(contentsOf other: some Sequence<HTTPField>) {
        for field in other { append(field) }
    }

    /// Removes the fields for which the closure returns true.
    public mutating func removeAll(where matches: (HTTPField) throws -> Bool) rethrows {
        try fields.removeAll(where: matches)
    }

    // MARK: Checking

    private mutating func set(_ name: HTTPField.Name, _ values: [String]) {
        for value in values where !isValid(value, of: name) { return }
        // A pseudo-field or too many fields would trap.
        guard fields.count < 65_000 - values.count, name.rawName.utf8.first != 0x3A else {
            return keep("a field \"\(Redaction.printable(name.rawName))\" cannot be added")
        }
        if values.count == 1 { fields[name] = values[0] } else { fields[values: name] = values }
    }

    private mutating func valid(_ name: String) -> HTTPField.Name? {
        guard let name = HTTPField.Name(name) else {
            refuse(name)
            return nil
        }
        return name
    }

    private mutating func refuse(_ name: String) {
        keep(
            "\"\(Redaction.printable(name))\" is no name of a field: only letters, digits and !#$%&'*+-.^_`|~ may occur"
        )
    }

    /// The value is not quoted, because it may be a secret.
    private mutating func isValid(_ value: String, of name: HTTPField.Name) -> Bool {
        guard let byte = value.utf8.first(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else { return true }
        let character = byte == 0x0A || byte == 0x0D ? "a line break" : "a control character (byte \(byte))"
        keep("the value of \(name.rawName) holds \(character), which a field cannot carry")
        return false
    }

    private mutating func keep(_ problem: String) {
        if firstProblem == nil { firstProblem = Problem(problem) }
    }
}

extension RequestHeaders: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of fields.
    public var endIndex: Int { fields.count }
    /// The field at that position.
    public subscript(position: Int) -> HTTPField { fields[position] }
    /// Whether there is no field.
    public var isEmpty: Bool { fields.isEmpty }
}

extension RequestHeaders: Hashable {
    /// Whether the fields and the first problem are the same. The order counts among fields of the same name only.
    public static func == (left: RequestHeaders, right: RequestHeaders) -> Bool {
        left.fields == right.fields && left.problem == right.problem
    }

    /// Hashes the fields.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension RequestHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields, one on each line, with credentials withheld.
    public var description: String {
        fields.map { "\($0.name.rawName): \(Redaction.standard.value(of: $0))" }.joined(separator: "\n")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description], displayStyle: .struct) }
}
