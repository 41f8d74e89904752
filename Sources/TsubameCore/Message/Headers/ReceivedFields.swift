// ReceivedFields: the header or trailer fields of a response, decoded only when they are read.

public import HTTPTypes

/// The fields of a received message, in the order in which they arrived. They have the look-ups of `HTTPFields`, and do
/// no work until a field is read.
/// ```swift
/// response.headers[.contentType]            // "text/html", or nil
/// response.headers[values: .setCookie]      // every one, in order
/// for field in response.headers { … }       // as received
/// response.headers["X-Request-Id"]         // a name as text
/// response.headers.fields                   // all of them as a value of swift-http-types
/// ```
/// A value is decoded as UTF-8 if it is valid UTF-8, and as ISO-8859-1 otherwise.
public struct ReceivedFields: Sendable {
    private enum Storage {
        /// `hidden` has a bit for each of the first 64 fields. The bit is set if the field was removed.
        case received(ReceivedHead, hidden: UInt64)
        case listed(HTTPFields)
        /// Few clients have secrets of their own. This case holds an object, so that all other fields stay small: a
        /// response is copied often.
        case withheld(WithheldFields)
    }

    private var storage: Storage

    package init(_ head: ReceivedHead, redaction: Redaction? = nil) {
        storage = .received(head, hidden: 0)
        if let redaction { withhold(by: redaction) }
    }

    /// Fields made by hand, for example for a stub's response.
    public init(_ fields: HTTPFields) { storage = .listed(fields) }

    package init(_ fields: HTTPFields, redaction: Redaction?) {
        storage = .listed(fields)
        if let redaction { withhold(by: redaction) }
    }

    /// - Parameter redaction: the rules for what the text of the fields withholds, if they are not the standard ones.
    private mutating func withhold(by redaction: Redaction) {
        storage = .withheld(WithheldFields(self, redaction))
    }

    /// Changes the fields of `withheld`, and keeps its rules.
    private mutating func change(_ withheld: WithheldFields, _ change: (inout ReceivedFields) -> Void) {
        var fields = withheld.fields
        change(&fields)
        storage = .withheld(WithheldFields(fields, withheld.redaction))
    }

    /// The value of the field; nil if there is none. Several fields of that name are joined by `, `.
    public subscript(name: HTTPField.Name) -> String? {
        switch storage {
        case .listed(let fields):
            return fields[name]
        case .withheld(let withheld):
            return withheld.fields[name]
        case .received(let head, let hidden):
            var (first, others): (String?, [String]) = (nil, [])
            Self.forEach(name, in: head, hidden) { index in
                let value = ReceivedHead.text(head.value(index))
                if first == nil { first = value } else { others.append(value) }
            }
            guard let first, !others.isEmpty else { return first }
            return ([first] + others).joined(separator: ", ")
        }
    }

    /// The value of the field with this name; nil if there is none.
    public subscript(name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

    /// The values of all fields with this name, in the order in which they arrived.
    public subscript(values name: String) -> [String] { HTTPField.Name(name).map { self[values: $0] } ?? [] }

    /// Whether there is a field with this name.
    public func contains(_ name: String) -> Bool { HTTPField.Name(name).map { contains($0) } ?? false }

    /// All fields as a value of HTTPTypes. Fields after the first 65,000 are left out, because that value would trap.
    public var fields: HTTPFields { HTTPFields(self) }

    /// The values of all fields of that name, in the order in which they arrived.
    public subscript(values name: HTTPField.Name) -> [String] {
        switch storage {
        case .listed(let fields):
            return fields[values: name]
        case .withheld(let withheld):
            return withheld.fields[values: name]
        case .received(let head, let hidden):
            var values: [String] = []
            Self.forEach(name, in: head, hidden) { values.append(ReceivedHead.text(head.value($0))) }
            return values
        }
    }

    /// Whether there is a field of that name.
    public func contains(_ name: HTTPField.Name) -> Bool {
        switch storage {
        case .listed(let fields):
            return fields.contains(name)
        case .withheld(let withheld):
            return withheld.fields.contains(name)
        case .received(let head, let hidden):
            var found = false
            Self.forEach(name, in: head, hidden) { _ in found = true }
            return found
        }
    }

    /// Removes all fields of that name.
    public mutating func remove(_ name: HTTPField.Name) {
        guard contains(name) else { return }
        if case .withheld(let withheld) = storage { return change(withheld) { $0.remove(name) } }
        guard case .received(let head, var hidden) = storage, head.fieldCount <= 64 else {
            var fields = HTTPFields(self)
            fields[fields: name] = []
            storage = .listed(fields)
            return
        }
        Self.forEach(name, in: head, hidden) { hidden |= 1 << UInt64($0) }
        storage = .received(head, hidden: hidden)
    }

    /// Adds a field at the end.
    public mutating func append(_ field: HTTPField) {
        if case .withheld(let withheld) = storage { return change(withheld) { $0.append(field) } }
        var fields = HTTPFields(self)
        fields.appendSafely(field)
        storage = .listed(fields)
    }

    private static func forEach(
        _ name: HTTPField.Name, in head: ReceivedHead, _ hidden: UInt64, _ body: (Int) -> Void
    ) {
        var wanted = name.canonicalName
        wanted.withUTF8 { wanted in
            for index in 0..<head.fieldCount where Int(head.slot(index).nameLength) == wanted.count {
                guard index >= 64 || hidden & (1 << UInt64(index)) == 0 else { continue }
                if head.name(index).equalsIgnoringCase(UnsafeRawBufferPointer(wanted)) { body(index) }
            }
        }
    }
}

/// Fields, and the rules for what their text withholds if they are not the standard ones.
private final class WithheldFields: Sendable {
    /// The fields, whose own case is never `withheld`.
    let fields: ReceivedFields
    let redaction: Redaction

    init(_ fields: ReceivedFields, _ redaction: Redaction) {
        self.fields = fields
        self.redaction = redaction
    }
}

extension ReceivedFields: Sequence {
    /// Returns the fields in the order in which they arrived.
    public struct Iterator: IteratorProtocol {
        fileprivate let fields: ReceivedFields
        fileprivate var position = 0

        /// The next field; nil at the end.
        public mutating func next() -> HTTPField? {
            switch fields.storage {
            case .listed(let listed):
                guard position < listed.count else { return nil }
                defer { position += 1 }
                return listed[position]
            case .received(let head, let hidden):
                while position < head.fieldCount {
                    let index = position
                    position += 1
                    if index < 64, hidden & (1 << UInt64(index)) != 0 { continue }
                    guard let name = HTTPField.Name(ReceivedHead.text(head.name(index))) else { continue }
                    return HTTPField(name: name, value: ReceivedHead.text(head.value(index)))
                }
                return nil
            // `makeIterator()` replaces this case by the fields in it.
            case .withheld: return nil
            }
        }
    }

    /// An iterator that begins with the first field.
    public func makeIterator() -> Iterator {
        if case .withheld(let withheld) = storage { return withheld.fields.makeIterator() }
        return Iterator(fields: self)
    }

    /// The number of fields.
    public var count: Int {
        switch storage {
        case .listed(let fields): fields.count
        case .withheld(let withheld): withheld.fields.count
        case .received(let head, let hidden): head.fieldCount - hidden.nonzeroBitCount
        }
    }
}

extension ReceivedFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One field a line, in the order in which they arrived, with the values of credentials withheld.
    public var description: String {
        if case .withheld(let withheld) = storage { return withheld.fields.text(withheld.redaction) }
        return text(.standard)
    }

    func text(_ redaction: Redaction) -> String {
        map { "\($0.name.rawName): \(Redaction.printable(redaction.value(of: $0)))" }.joined(separator: "\n")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description], displayStyle: .struct) }
}

extension HTTPFields {
    init(_ fields: ReceivedFields) {
        self.init()
        for field in fields { appendSafely(field) }
    }

    /// Appends the field unless the collection would trap, as for a pseudo-header field or for more fields than it can
    /// hold.
    package mutating func appendSafely(_ field: HTTPField) {
        guard count < 65_000, field.name.rawName.utf8.first != 0x3A else { return }
        append(field)
    }
}

extension UnsafeRawBufferPointer {
    /// Compares ASCII letters without regard to case. `lowercased` must hold no upper-case letter.
    @inline(__always)
    package func equalsIgnoringCase(_ lowercased: UnsafeRawBufferPointer) -> Bool {
        guard count == lowercased.count else { return false }
        for index in 0..<count {
            let byte = self[index]
            let folded = byte &- 0x41 < 26 ? byte | 0x20 : byte
            if folded != lowercased[index] { return false }
        }
        return true
    }
}
