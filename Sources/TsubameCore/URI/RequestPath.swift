// RequestPath: the path of a request, which escapes the values that are interpolated into it.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A path below a client's base URL, written as a string literal.
///
/// ```swift
/// let photos = try await api.get("users/\(name)/photos")  // name is escaped as one segment, whatever is in it
/// ```
/// A leading `/` changes nothing: a path is always appended to the base URL.
///
/// A scheme, a fragment, a backslash, a control character and an empty segment in the middle are errors. So is an
/// interpolation that leaves a segment empty, `.` or `..`. An error is thrown as ``CallError/Kind/invalidRequest`` when
/// the request is sent.
public struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The path, percent-encoded, possibly with a query; or a whole URL as it was given.
    package let encoded: String
    package let problem: String?
    /// Whether a value that was put in contains a slash, which was escaped.
    package let escapesSlash: Bool
    package let isWholeURL: Bool

    /// A whole URL in the place of a path, for endpoints at other origins.
    ///
    /// ```swift
    /// var path: RequestPath { .url(link) }
    /// ```
    public static func url(_ url: String) -> RequestPath {
        RequestPath(encoded: url, problem: nil, escapesSlash: false, isWholeURL: true)
    }

    private init(encoded: String, problem: String?, escapesSlash: Bool, isWholeURL: Bool) {
        (self.encoded, self.problem, self.escapesSlash) = (encoded, problem, escapesSlash)
        self.isWholeURL = isWholeURL
    }

    /// A path from a literal without interpolated values.
    public init(stringLiteral value: String) {
        var interpolation = StringInterpolation(literalCapacity: value.utf8.count, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.init(stringInterpolation: interpolation)
    }

    /// A path from a literal with interpolated values, each escaped as one segment.
    public init(stringInterpolation: StringInterpolation) {
        let (encoded, problem) = stringInterpolation.finished()
        self.init(
            encoded: encoded, problem: problem, escapesSlash: stringInterpolation.escapesSlash, isWholeURL: false)
    }

    /// A path from text that is already a valid, percent-encoded path, for example from a configuration.
    public init(encoded: some StringProtocol) {
        self.init(stringLiteral: String(encoded))
    }

    /// The value that the compiler builds from a literal with interpolated values.
    public struct StringInterpolation: StringInterpolationProtocol {
        private var text = ""
        private var problem: String?
        private var inQuery = false
        /// Whether the current segment holds an interpolated value.
        private var hasInterpolation = false
        fileprivate private(set) var escapesSlash = false

        /// An empty path.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        /// Appends text from the program's source. Slashes in the text divide segments.
        public mutating func appendLiteral(_ literal: String) {
            if literal.utf8.contains(0x5C) { problem = problem ?? "has a backslash in it" }
            if literal.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
                problem = problem ?? "has a control character in it"
            }
            if literal.utf8.contains(0x23) { problem = problem ?? "has a fragment (#)" }
            // Bytes are compared: a combining mark would join a slash or a mark before it.
            if !inQuery, let mark = literal.utf8.firstIndex(of: UInt8(ascii: "?")) {
                endSegments(literal[..<mark], isLast: true)
                inQuery = true
                text += literal[..<mark] + "?" + literal[literal.utf8.index(after: mark)...]
                return
            }
            if !inQuery { endSegments(literal[...], isLast: false) }
            text += literal
        }

        /// Appends a text, an integer, a floating-point number, a Boolean or another value with a lossless description.
        /// It is escaped as one segment or, in the query, as one value.
        public mutating func appendInterpolation<T: LosslessStringConvertible>(_ value: T) { append(value.description) }

        /// Appends a value by its raw value, such as an enumeration's or a typed identifier's.
        public mutating func appendInterpolation<T: RawRepresentable>(_ value: T)
        where T.RawValue: LosslessStringConvertible {
            append(value.rawValue.description)
        }

        /// Appends a value that has both, by its description.
        public mutating func appendInterpolation<T: RawRepresentable & LosslessStringConvertible>(_ value: T)
        where T.RawValue: LosslessStringConvertible {
            append(value.description)
        }

        /// Appends a UUID in capitals.
        public mutating func appendInterpolation(_ value: UUID) { append(value.uuidString) }

        /// Appends a typed identifier whose raw value is a UUID.
        public mutating func appendInterpolation<T: RawRepresentable>(_ value: T) where T.RawValue == UUID {
            append(value.rawValue.uuidString)
        }

        /// Appends a decimal number.
        public mutating func appendInterpolation(_ value: Decimal) { append(value.description) }

        private mutating func append(_ value: String) {
            if !inQuery {
                hasInterpolation = true
                if value.utf8.contains(0x2F) { escapesSlash = true }
            }
            for byte in value.utf8 {
                switch byte {
                case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E:
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    let digits = String(byte, radix: 16, uppercase: true)
                    text += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
                }
            }
        }

        /// Not available: an optional would be written as `Optional(…)` or `nil`.
        @available(*, unavailable, message: "unwrap the value before it is put into a path")
        public mutating func appendInterpolation<T>(_ value: T?) {}

        /// Not available: how a list, a date or a structure is written as a segment is for its API to say.
        @available(*, unavailable, message: "describe the value first, as a String or a number: \"\\(value.id)\"")
        public mutating func appendInterpolation<T>(_ value: T) {}

        /// Checks each segment that ends in the literal. A segment ends at a slash or at the end of the path, and only
        /// then can it be known to be empty or dots.
        private mutating func endSegments(_ literal: Substring, isLast: Bool) {
            let slash = UInt8(ascii: "/")
            // The segment that the literal goes on with.
            var begun = text.utf8.lastIndex(of: slash).map { text[text.utf8.index(after: $0)...] } ?? text[...]
            var rest = literal.utf8
            while let end = rest.firstIndex(of: slash) {
                check(begun.isEmpty ? Substring(rest[..<end]) : begun + Substring(rest[..<end]))
                hasInterpolation = false
                begun = ""
                rest = rest[rest.index(after: end)...]
            }
            if isLast { check(begun + Substring(rest)) }
        }

        private mutating func check(_ segment: Substring) {
            // Servers decode an escaped dot before they look at segments.
            let dots =
                segment.contains("%")
                ? segment.lowercased().split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
                : String(segment)
            if dots == "." || dots == ".." {
                problem = problem ?? "has a segment that is \(segment)"
            } else if segment.isEmpty, hasInterpolation {
                problem = problem ?? "has an empty segment where a value was put in"
            }
        }

        func finished() -> (String, String?) {
            var copy = self
            if !inQuery { copy.endSegments("", isLast: true) }
            var problem = copy.problem
            let (slash, path) = (UInt8(ascii: "/"), text.utf8.prefix { $0 != UInt8(ascii: "?") })
            // An interpolation writes its escapes in upper case.
            if problem == nil, path.starts(with: "http".utf8),
                path.starts(with: "http%3A%2F%2F".utf8) || path.starts(with: "https%3A%2F%2F".utf8)
            {
                problem = "starts with a whole URL that was put in; pass it as get(url:), or give it to the client"
            }
            if problem == nil, let colon = path.firstIndex(of: UInt8(ascii: ":")), !path[..<colon].contains(slash),
                path[colon...].dropFirst().first == slash
            {
                problem = "starts with a scheme; pass whole URLs as get(url:)"
            }
            if problem == nil, zip(path, path.dropFirst()).contains(where: { $0 == slash && $1 == slash }) {
                problem = "has an empty segment (//)"
            }
            if problem == nil {
                var text = text
                text.makeContiguousUTF8()
                let encoded: String? =
                    text.utf8.withContiguousStorageIfAvailable { bytes in
                        try? URIParser.encodeTarget(bytes, from: 0).target
                    } ?? nil
                if let encoded { return (encoded, nil) }
                problem = "cannot be encoded"
            }
            return (text, problem)
        }
    }
}
