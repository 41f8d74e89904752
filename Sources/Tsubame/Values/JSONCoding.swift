// JSONCoding: how a client writes and reads JSON.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How JSON is written and read: the strategies for dates, numbers, data and keys.
///
/// ```swift
/// let api = Client("https://api.example.com/v1") {
///     $0.json = JSONCoding(
///         encoder: { $0.dateEncodingStrategy = .secondsSince1970 },
///         decoder: { $0.dateDecodingStrategy = .secondsSince1970 })
/// }
/// ```
/// A client uses it for the verbs that take `json:`, for bodies by `Body.json(_:)`, those of endpoints included, and for
/// what is decoded from JSON. `Body.json(_:by:)` makes a body by another one.
public struct JSONCoding: Sendable {
    private let setUpEncoder: (@Sendable (JSONEncoder) -> Void)?
    private let setUpDecoder: (@Sendable (JSONDecoder) -> Void)?

    /// Strategies of your own; what is not given is Foundation's default.
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

    /// Dates by ISO 8601 in UTC, as most APIs have them.
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
