// JSONCoding: how a client encodes and decodes JSON.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a client encodes and decodes JSON: the strategies for dates, numbers, data and keys.
///
/// ```swift
/// let api = Client("https://api.example.com/v1") {
///     $0.json = JSONCoding(
///         encoder: { $0.dateEncodingStrategy = .secondsSince1970 },
///         decoder: { $0.dateDecodingStrategy = .secondsSince1970 })
/// }
/// ```
/// A client uses it for the verbs that take `json:`, for bodies made by `RequestBody.json(_:)`, including those of
/// endpoints, and for values decoded from JSON. `RequestBody.json(_:by:)` encodes one body in another way.
public struct JSONCoding: Sendable {
    private let setUpEncoder: (@Sendable (JSONEncoder) -> Void)?
    private let setUpDecoder: (@Sendable (JSONDecoder) -> Void)?

    /// Makes a coding with your own strategies. The others are Foundation's defaults.
    /// - Parameters:
    ///   - encoder: sets up each new encoder.
    ///   - decoder: sets up each new decoder.
    public init(
        encoder: (@Sendable (JSONEncoder) -> Void)? = nil, decoder: (@Sendable (JSONDecoder) -> Void)? = nil
    ) {
        setUpEncoder = encoder
        setUpDecoder = decoder
    }

    /// Foundation's defaults: dates as seconds since 2001, data as base64, keys as written.
    public static let standard = JSONCoding()

    /// Dates in ISO 8601 and UTC, as most APIs use them.
    public static let iso8601 = JSONCoding(
        encoder: { $0.dateEncodingStrategy = .iso8601 }, decoder: { $0.dateDecodingStrategy = .iso8601 })

    package var isStandard: Bool { setUpEncoder == nil && setUpDecoder == nil }

    func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        setUpEncoder?(encoder)
        return encoder
    }

    func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        setUpDecoder?(decoder)
        return decoder
    }
}
