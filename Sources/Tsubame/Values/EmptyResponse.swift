// EmptyResponse: the values that an empty body stands for.

/// A type with an empty value, to which an empty 204, 205 or HEAD response decodes.
public protocol EmptyDecodable {
    /// The value of a missing body.
    static var emptyValue: Self { get }
}

extension Optional: EmptyDecodable {
    /// nil.
    public static var emptyValue: Wrapped? { nil }
}

extension Array: EmptyDecodable {
    /// An empty array.
    public static var emptyValue: [Element] { [] }
}

extension Dictionary: EmptyDecodable {
    /// An empty dictionary.
    public static var emptyValue: [Key: Value] { [:] }
}

/// A value without content, to which any body decodes.
public struct EmptyResponse: Decodable, Sendable, Hashable, EmptyDecodable {
    /// The only value of this type.
    public static var emptyValue: EmptyResponse { EmptyResponse() }
    /// Makes the only value of this type.
    public init() {}
    /// Reads nothing and never throws.
    public init(from decoder: any Decoder) {}
}
