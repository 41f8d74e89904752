// JSONCoding: how a client encodes and decodes JSON.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import TsubameWire

/// How a client encodes and decodes JSON: the names of keys, the spelling of dates, and everything else that Foundation
/// can be told.
///
/// ```swift
/// let api = Client("https://api.example.com/v1") {
///     $0.json = .iso8601
///     $0.json.keys = .snakeCase
/// }
/// ```
/// A client uses it for the verbs that take `json:`, for bodies made by `RequestBody.json(_:)`, including those of
/// endpoints, and for values decoded from JSON. `RequestBody.json(_:by:)` encodes one body in another way.
public struct JSONCoding: Sendable {
    /// The names of properties.
    public enum Keys: Sendable, Hashable {
        /// The names as the type declares them.
        case asWritten
        /// `firstName` as `first_name`, as Foundation converts them.
        case snakeCase
    }

    /// The spelling of dates.
    public enum Dates: Sendable {
        /// Seconds since 2001, as Foundation writes them by default.
        case secondsSince2001
        /// Text such as `2026-11-21T04:35:47Z`: UTC, whole seconds, the years 0 to 9999. Fractions of a second, other
        /// offsets, and dates without a time are read, too.
        case iso8601
        /// Seconds since 1970, with a fraction if there is one.
        case secondsSince1970
        /// Milliseconds since 1970.
        case millisecondsSince1970
        /// Text of your own form; `read` returns nil for a text that is not a date.
        case custom(write: @Sendable (Date) throws -> String, read: @Sendable (String) -> Date?)
    }

    /// The names of properties; as written by default.
    public var keys = Keys.asWritten
    /// The spelling of dates; seconds since 2001 by default.
    public var dates = Dates.secondsSince2001
    private let setUpEncoder: (@Sendable (JSONEncoder) -> Void)?
    private let setUpDecoder: (@Sendable (JSONDecoder) -> Void)?

    /// Makes a coding. Settings that are not given are Foundation's defaults.
    /// - Parameters:
    ///   - keys: the names of properties.
    ///   - dates: the spelling of dates.
    ///   - encoder: sets up each new encoder, after `keys` and `dates`.
    ///   - decoder: sets up each new decoder, after `keys` and `dates`.
    public init(
        keys: Keys = .asWritten, dates: Dates = .secondsSince2001,
        encoder: (@Sendable (JSONEncoder) -> Void)? = nil, decoder: (@Sendable (JSONDecoder) -> Void)? = nil
    ) {
        self.keys = keys
        self.dates = dates
        setUpEncoder = encoder
        setUpDecoder = decoder
    }

    /// Foundation's defaults: dates as seconds since 2001, data as base64, keys as written.
    public static let standard = JSONCoding()

    /// Dates by ISO 8601 in UTC, as most APIs write them; see ``Dates/iso8601``.
    public static let iso8601 = JSONCoding(dates: .iso8601)

    package var isStandard: Bool {
        guard case .secondsSince2001 = dates else { return false }
        return keys == .asWritten && setUpEncoder == nil && setUpDecoder == nil
    }

    func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        if keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        switch dates {
        case .secondsSince2001: break
        case .iso8601:
            encoder.dateEncodingStrategy = .custom { date, encoder in
                guard let text = ISO8601Date.text(of: date) else {
                    throw EncodingError.invalidValue(
                        date,
                        .init(
                            codingPath: encoder.codingPath,
                            debugDescription: "The date is not in the years 0 to 9999."))
                }
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
        case .millisecondsSince1970: encoder.dateEncodingStrategy = .millisecondsSince1970
        case .custom(let write, _):
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(write(date))
            }
        }
        setUpEncoder?(encoder)
        return encoder
    }

    func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        if keys == .snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        switch dates {
        case .secondsSince2001: break
        case .iso8601: decoder.dateDecodingStrategy = Self.reading { ISO8601Date($0)?.date }
        case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
        case .millisecondsSince1970: decoder.dateDecodingStrategy = .millisecondsSince1970
        case .custom(_, let read): decoder.dateDecodingStrategy = Self.reading(read)
        }
        setUpDecoder?(decoder)
        return decoder
    }

    /// The error does not contain the text, because it may be a secret.
    private static func reading(_ read: @escaping @Sendable (String) -> Date?) -> JSONDecoder.DateDecodingStrategy {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = read(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a date.")
            }
            return date
        }
    }
}
