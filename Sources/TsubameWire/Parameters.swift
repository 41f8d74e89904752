// Names and values of a query or a form, in order.

/// The names and values of a query or of an HTML form (`application/x-www-form-urlencoded`).
///
/// The order is kept, a name may come more than once, and a value that is nil is left out:
///
///     let query: Parameters = ["page": 2, "name": name, "exact": true, "since": optionalString]
///
/// Names and values are kept as they are meant; ``encoded()`` percent-encodes them.
public struct Parameters: Sendable {
    /// One name with its value.
    public struct Element: Sendable, Hashable {
        /// As it is meant, not yet percent-encoded.
        public var name: String
        /// As it is meant, not yet percent-encoded.
        public var value: String

        /// One name with its value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// How a space is written.
    public enum Spaces: Sendable, Hashable {
        /// `%20`, which every server reads.
        case percentEncoded
        /// `+`, as HTML forms have it.
        case plus
    }

    private var elements: [Element]

    /// How ``encoded()`` writes a space.
    public var spaces = Spaces.percentEncoded

    /// Why a value could not be written; whoever sends the parameters throws it.
    package private(set) var failure: (any Error)?

    /// No parameters.
    public init() {
        elements = []
    }

    /// These names and values, in this order.
    public init(_ pairs: [(String, String)]) {
        elements = pairs.map { Element(name: $0.0, value: $0.1) }
    }

    /// The properties of `value`.
    ///
    /// ``ParameterCoding/standard`` names a nested property `outer[inner]` and an element of an array `name[]`, leaves
    /// nil out and writes dates by ISO 8601 in UTC. Data is base64, the pairs of a dictionary are sorted by key. This
    /// initialiser never throws: what cannot be written (a number that is not finite, a value without a name) is kept
    /// and thrown when the request is sent.
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

    /// Adds a parameter at the end; a nil value adds nothing.
    public mutating func append(_ name: String, _ value: (any ParameterValue)?) {
        guard let text = value?.parameterValue else { return }
        if let value, !Self.isFinite(value), failure == nil {
            failure = EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "The parameter \(name) is not a finite number."))
        }
        elements.append(Element(name: name, value: text))
    }

    /// Adds other parameters at the end.
    public mutating func append(contentsOf other: Parameters) {
        elements.append(contentsOf: other.elements)
        if failure == nil { failure = other.failure }
    }

    /// The first and then the second; spelt as the first says.
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

    /// The parameters as a value: the way back of ``init(encoding:by:)``.
    ///
    /// Of a name that came more than once where one value is wanted, the first counts. An array of which nothing is
    /// there is empty. Whole numbers, `true`, `1`, dates, base64 and so on must be spelt as `coding` has them, except
    /// that both spellings of `Bool` are read.
    /// - Throws: `DecodingError`: what is missing, or cannot be read; also for names that nest deeper than 32 levels.
    public func decode<T: Decodable>(_ type: T.Type = T.self, by coding: ParameterCoding = .standard) throws -> T {
        try ParameterDecoder(coding).decode(type, from: self)
    }

    /// The same parameters by name, in the order of their UTF-8 bytes; equal names keep their order.
    public func sorted() -> Parameters {
        var result = self
        // The standard sort is stable, but does not promise it: the position decides between equal names.
        result.elements = elements.enumerated().sorted { first, second in
            if first.element.name.utf8.elementsEqual(second.element.name.utf8) { return first.offset < second.offset }
            return first.element.name.utf8.lexicographicallyPrecedes(second.element.name.utf8)
        }.map(\.element)
        return result
    }

    private static func isFinite(_ value: any ParameterValue) -> Bool {
        if let number = value as? Double { return number.isFinite }
        if let number = value as? Float { return number.isFinite }
        return true
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
    /// The position behind the last parameter.
    public var endIndex: Int { elements.endIndex }
    /// The name and value at a position.
    public subscript(position: Int) -> Element { elements[position] }
}

extension Parameters: Hashable {
    // An error is not comparable; what it says is.
    /// Whether names, values, their order and the spelling of spaces are the same.
    public static func == (first: Parameters, second: Parameters) -> Bool {
        first.elements == second.elements && first.spaces == second.spaces
            && first.failure.map(String.init(describing:)) == second.failure.map(String.init(describing:))
    }

    /// By names and values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(elements)
    }
}
