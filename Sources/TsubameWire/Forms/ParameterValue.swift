// ParameterValue: the protocol of types that can be values of ``Parameters``.

/// A value that can be written as one parameter of a query or a form.
///
/// Strings, integers, floating-point numbers, `Bool`, `Date`, `UUID`, `URL`, and optionals and arrays of these conform.
/// A type whose raw value is one of these only needs to declare the conformance.
public protocol ParameterValue: Sendable {
    /// The text before percent-encoding; nil leaves the parameter out.
    var parameterValue: String? { get }
    /// The texts of a value that is written as several parameters of the same name, such as an array. By default this
    /// is ``parameterValue``.
    var parameterValues: [String] { get }
}

extension ParameterValue {
    /// The one text, or none.
    public var parameterValues: [String] { parameterValue.map { [$0] } ?? [] }
}

extension Array: ParameterValue where Element: ParameterValue {
    /// The first text; nil for an empty array.
    public var parameterValue: String? { parameterValues.first }
    /// The texts of the elements, each for one parameter of the name. `Parameters(encoding:by:)` has other spellings.
    public var parameterValues: [String] { flatMap(\.parameterValues) }
}

extension String: ParameterValue {
    /// The text itself.
    public var parameterValue: String? { self }
}

extension Substring: ParameterValue {
    /// The text itself.
    public var parameterValue: String? { String(self) }
}

extension Bool: ParameterValue {
    /// `true` or `false`.
    public var parameterValue: String? { self ? "true" : "false" }
}

extension ParameterValue where Self: BinaryInteger {
    /// The number in decimal digits.
    public var parameterValue: String? { String(self) }
}

extension Int: ParameterValue {}
extension Int8: ParameterValue {}
extension Int16: ParameterValue {}
extension Int32: ParameterValue {}
extension Int64: ParameterValue {}
extension UInt: ParameterValue {}
extension UInt8: ParameterValue {}
extension UInt16: ParameterValue {}
extension UInt32: ParameterValue {}
extension UInt64: ParameterValue {}

extension ParameterValue where Self: BinaryFloatingPoint & CustomStringConvertible {
    /// The shortest digits that give the same number when read; `2.0` is written `2`.
    public var parameterValue: String? { shortestText }
}

extension Double: ParameterValue {}
extension Float: ParameterValue {}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
    var shortestText: String {
        let text = description
        return text.utf8.count > 2 && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
    /// The text of the wrapped value; nil, which leaves the parameter out, if there is none.
    public var parameterValue: String? { self?.parameterValue }
    /// The texts of the wrapped value; none if there is none.
    public var parameterValues: [String] { self?.parameterValues ?? [] }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
    /// The text of the raw value.
    public var parameterValue: String? { rawValue.parameterValue }
}
