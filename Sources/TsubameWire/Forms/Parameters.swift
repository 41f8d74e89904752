// Parameters: the names and values of a query or a form, in order.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The names and values of a query or of an HTML form (`application/x-www-form-urlencoded`).
///
/// The order is kept, a name may be repeated, a nil value is left out, and an array repeats its name:
///
///     let query: Parameters = ["page": 2, "name": name, "since": optionalDate, "tag": ["red", "blue"]]
///
/// Names and values are stored as plain text; ``encoded()`` percent-encodes them.
public struct Parameters: Sendable {
    /// One name with its value.
    public struct Element: Sendable, Hashable {
        /// The name as plain text, before percent-encoding.
        public var name: String
        /// The value as plain text, before percent-encoding.
        public var value: String

        /// Creates an element from a name and a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// How a space is written.
    public enum Spaces: Sendable, Hashable {
        /// `%20`, which every server reads.
        case percentEncoded
        /// `+`, as HTML forms write it.
        case plus
    }

    private var elements: [Element]

    /// How ``encoded()`` writes a space.
    public var spaces = Spaces.percentEncoded

    /// Why a value could not be encoded; the error is thrown when the parameters are sent.
    package private(set) var failure: (any Error)?

    /// No parameters.
    public init() {
        elements = []
    }

    /// Parameters with these names and values, in this order.
    public init(_ pairs: [(String, String)]) {
        elements = pairs.map { Element(name: $0.0, value: $0.1) }
    }

    /// The parameters of a dictionary, in the order of their names.
    public init(_ dictionary: [String: any ParameterValue]) {
        self.init()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(name, value) }
    }

    /// The parameters of a dictionary of texts, in the order of their names.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.mapValues { $0 as any ParameterValue })
    }

    /// The properties of `value` as parameters.
    ///
    /// ``ParameterCoding/standard`` names a nested property `outer[inner]` and an element of an array `name[]`. It
    /// leaves nil out, writes dates by ISO 8601 in UTC and data as base64, and sorts the pairs of a dictionary by
    /// key.
    ///
    /// This initialiser never throws. If a value cannot be encoded, the error is kept and thrown when the request is
    /// sent. Examples are a number that is not finite and a value without a name.
    public init(encoding value: some Encodable, by coding: ParameterCoding = .standard) {
        spaces = coding.spaces
        do {
            elements = try ParameterEncoder(coding).encode(value)
        } catch {
            elements = []
            failure = error
        }
    }

    package init(elements: [Element]) {
        self.elements = elements
    }

    /// Adds a parameter at the end. A nil value adds nothing, and an array adds one parameter for each element.
    public mutating func append(_ name: String, _ value: (any ParameterValue)?) {
        guard let value else { return }
        if let problem = Self.problem(of: value), failure == nil {
            failure = EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "The parameter \(name) is \(problem)."))
        }
        for text in value.parameterValues { elements.append(Element(name: name, value: text)) }
    }

    /// Adds other parameters at the end.
    public mutating func append(contentsOf other: Parameters) {
        elements.append(contentsOf: other.elements)
        if failure == nil { failure = other.failure }
    }

    /// The parameters of both, in order. ``spaces`` is that of the first.
    public static func + (first: Parameters, second: Parameters) -> Parameters {
        var sum = first
        sum.append(contentsOf: second)
        return sum
    }

    /// Adds other parameters at the end.
    public static func += (first: inout Parameters, second: Parameters) {
        first.append(contentsOf: second)
    }

    /// The value of the first parameter of this name.
    public subscript(name: String) -> String? {
        elements.first { $0.name == name }?.value
    }

    /// The values of all parameters of this name, in order.
    public func values(for name: String) -> [String] {
        elements.filter { $0.name == name }.map(\.value)
    }

    /// Decodes a value from the parameters: the inverse of ``init(encoding:by:)``.
    ///
    /// If a name is repeated but one value is needed, the first counts. An array without parameters is empty.
    /// Numbers, dates, base64 and other texts must be spelt as `coding` writes them, but both spellings of `Bool` are
    /// read.
    /// - Throws: `DecodingError` if a value is missing or cannot be read, or if a name nests deeper than 32 levels.
    public func decode<T: Decodable>(_ type: T.Type = T.self, by coding: ParameterCoding = .standard) throws -> T {
        try ParameterDecoder(coding).decode(type, from: self)
    }

    /// The same parameters, sorted by the UTF-8 bytes of their names; equal names keep their order.
    public func sorted() -> Parameters {
        var result = self
        // The standard sort does not promise stability, so the position decides between equal names.
        result.elements = elements.enumerated().sorted { first, second in
            if first.element.name.utf8.elementsEqual(second.element.name.utf8) { return first.offset < second.offset }
            return first.element.name.utf8.lexicographicallyPrecedes(second.element.name.utf8)
        }.map(\.element)
        return result
    }

    /// Why the value has no text that a server could read; nil if it has one.
    private static func problem(of value: any ParameterValue) -> String? {
        let notFinite = "not a finite number"
        switch value {
        case let number as Double: return number.isFinite ? nil : notFinite
        case let number as Float: return number.isFinite ? nil : notFinite
        case let date as Date: return date.parameterValue == nil ? "a date outside of the years 0 to 9999" : nil
        case let values as [any ParameterValue]: return values.lazy.compactMap(problem).first
        default: return nil
        }
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Parameters in the order in which they are written; a name may be repeated.
    public init(dictionaryLiteral elements: (String, (any ParameterValue)?)...) {
        self.init()
        self.elements.reserveCapacity(elements.count)
        for (name, value) in elements { append(name, value) }
    }
}

extension Parameters: RandomAccessCollection {
    /// The position of the first parameter.
    public var startIndex: Int { elements.startIndex }
    /// The position after the last parameter.
    public var endIndex: Int { elements.endIndex }
    /// The name and value at a position.
    public subscript(position: Int) -> Element { elements[position] }
}

extension Parameters: Hashable {
    // An error is not comparable, but its description is.
    /// Whether names, values, their order and the spelling of spaces are the same.
    public static func == (first: Parameters, second: Parameters) -> Bool {
        first.elements == second.elements && first.spaces == second.spaces
            && first.failure.map(String.init(describing:)) == second.failure.map(String.init(describing:))
    }

    /// Hashes the names and values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(elements)
    }
}
