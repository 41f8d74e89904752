// ParameterCoding: the spelling of values in a query or a form.
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How the properties of a value become names and texts of a query or a form, and how they are read back.
///
/// There is no standard for this, so servers differ. Choose the settings that the server's framework reads:
///
/// ```swift
/// let rails = Parameters(encoding: search)                                        // tags[]=a, user[name]=b
/// let spring = Parameters(encoding: search, by: ParameterCoding(arrays: .repeated, nesting: .dots)) // tags=a, user.name=b
/// ```
public struct ParameterCoding: Sendable {
    /// The name of an element of an array.
    public enum Arrays: Sendable, Hashable {
        /// `name[]`. This form loses the borders between arrays in arrays, and a reader must guess those between
        /// elements with several properties. Use ``indexed`` for such arrays.
        case brackets
        /// `name`, repeated for each element.
        case repeated
        /// `name[0]`, `name[1]`, ….
        case indexed
    }

    /// The text of a `Bool`.
    public enum Booleans: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// The text for nil.
    public enum Nils: Sendable, Hashable {
        /// No text: the name is left out.
        case dropped
        /// The name with an empty text.
        case empty
        /// The name with the text `null`.
        case null
    }

    /// The name of a property of a property.
    public enum Nesting: Sendable, Hashable {
        /// `outer[inner]`
        case brackets
        /// `outer.inner`
        case dots
    }

    /// The names of properties; keys of dictionaries are never changed.
    public enum Keys: Sendable, Hashable {
        /// The names as the type declares them.
        case asWritten
        /// `firstName` as `first_name`, `baseURL` as `base_url`.
        case snakeCase
    }

    /// The text of a date.
    public enum Dates: Sendable {
        /// Text such as `2026-11-21T04:35:47Z`: UTC, whole seconds, the years 0 to 9999. Fractions of a second and
        /// offsets other than `Z` are read, too.
        case iso8601
        /// Seconds since 1970, with a fraction if there is one.
        case secondsSince1970
        /// Milliseconds since 1970, rounded down to a whole number.
        case millisecondsSince1970
        /// Text of your own form; `read` returns nil for a text that is not a date.
        case custom(write: @Sendable (Date) throws -> String, read: @Sendable (String) -> Date?)
    }

    /// The names of elements of arrays.
    public var arrays: Arrays
    /// The texts of `Bool`.
    public var booleans: Booleans
    /// The text for nil.
    public var nils: Nils
    /// The names of properties of properties.
    public var nesting: Nesting
    /// The names of properties.
    public var keys: Keys
    /// The texts of dates.
    public var dates: Dates
    /// The value of ``Parameters/spaces`` for the parameters that this coding makes.
    public var spaces: Parameters.Spaces

    /// A coding with these settings. The others are those of ``standard``.
    public init(
        arrays: Arrays = .brackets, booleans: Booleans = .words, nils: Nils = .dropped, nesting: Nesting = .brackets,
        keys: Keys = .asWritten, dates: Dates = .iso8601, spaces: Parameters.Spaces = .percentEncoded
    ) {
        self.arrays = arrays
        self.booleans = booleans
        self.nils = nils
        self.nesting = nesting
        self.keys = keys
        self.dates = dates
        self.spaces = spaces
    }

    /// `outer[inner]`, `name[]`, `true` and `false`, nil left out, dates by ISO 8601 in UTC, keys as written, a space
    /// as `%20`.
    public static let standard = ParameterCoding()
}

// MARK: Names

extension ParameterCoding {
    /// - Parameter isProperty: whether `key` is the name of a property, and not the key of a dictionary.
    func name(of key: String, in parent: String?, isProperty: Bool) -> String {
        let key = isProperty && keys == .snakeCase ? Self.snakeCase(key) : key
        guard let parent else { return key }
        return nesting == .dots ? "\(parent).\(key)" : "\(parent)[\(key)]"
    }

    func elementName(in parent: String, at index: Int) -> String {
        switch arrays {
        case .brackets: "\(parent)[]"
        case .repeated: parent
        case .indexed: "\(parent)[\(index)]"
        }
    }

    /// A capital begins a word, except within a run of capitals. The last capital of a run begins a word if a small
    /// letter follows.
    static func snakeCase(_ name: String) -> String {
        let letters = Array(name)
        var words = ""
        for (index, letter) in letters.enumerated() {
            if letter.isUppercase, index > 0, letters[index - 1] != "_" {
                let followsSmall = !letters[index - 1].isUppercase
                let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
                if followsSmall || precedesSmall { words += "_" }
            }
            words += letter.lowercased()
        }
        return words
    }
}

// MARK: Texts

extension ParameterCoding {
    var textOfNil: String? {
        switch nils {
        case .dropped: nil
        case .empty: ""
        case .null: "null"
        }
    }

    /// The text of a value that is one parameter. nil if the value has parts or is nil; it must then encode itself.
    func text(of value: some Encodable, at codingPath: [any CodingKey]) throws -> String? {
        switch value {
        case let value as String: return value
        case let value as Bool: return text(of: value)
        case let value as any BinaryInteger: return value.description
        case let value as Double: return try text(ofNumber: value, at: codingPath)
        case let value as Float: return try text(ofNumber: value, at: codingPath)
        case let value as Date: return try text(ofDate: value, at: codingPath)
        case let value as Data: return value.base64EncodedString()
        case let value as URL: return value.absoluteString
        case let value as UUID: return value.uuidString
        case let value as Decimal: return value.description
        default: return nil
        }
    }

    private func text(of value: Bool) -> String {
        switch booleans {
        case .words: value ? "true" : "false"
        case .digits: value ? "1" : "0"
        }
    }

    private func text(
        ofNumber number: some BinaryFloatingPoint & CustomStringConvertible, at codingPath: [any CodingKey]
    ) throws -> String {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: codingPath, debugDescription: "The number is not finite."))
        }
        return number.shortestText
    }

    private func text(ofDate date: Date, at codingPath: [any CodingKey]) throws -> String {
        let seconds = date.timeIntervalSince1970
        let (text, reason): (String?, String)
        switch dates {
        case .iso8601:
            (text, reason) = (ISO8601Date.text(of: date), "The date is not in the years 0 to 9999.")
        case .secondsSince1970:
            (text, reason) = (seconds.isFinite ? seconds.shortestText : nil, "The date is not finite.")
        case .millisecondsSince1970:
            let milliseconds = Int64(exactly: (seconds * 1000).rounded(.down))
            (text, reason) = (milliseconds.map(String.init), "The date does not fit in 64 bits of milliseconds.")
        case .custom(let write, _):
            (text, reason) = (try write(date), "")
        }
        guard let text else {
            // The error holds the seconds and not the date: printing a date that is not finite traps in
            // FoundationEssentials.
            throw EncodingError.invalidValue(seconds, .init(codingPath: codingPath, debugDescription: reason))
        }
        return text
    }
}
