// JSONValue+Parts: the content of a value of one kind.

extension JSONValue {
    /// The elements of an array.
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members of an object.
    package var members: [(name: String, value: JSONValue)]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The text of a string, a number or a Boolean.
    package var text: String? {
        switch self {
        case .string(let text): text
        case .integer, .number, .bool: compactText
        case .null, .array, .object: nil
        }
    }
}
