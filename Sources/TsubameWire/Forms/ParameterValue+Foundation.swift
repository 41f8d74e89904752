// ParameterValue+Foundation: FoundationEssentials types that can be values of parameters.
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: ParameterValue {
    /// The UUID in upper case with hyphens, as Foundation writes it.
    public var parameterValue: String? { uuidString }
}

extension URL: ParameterValue {
    /// The absolute URL.
    public var parameterValue: String? { absoluteString }
}

extension Date: ParameterValue {
    /// The date by ISO 8601 in UTC and whole seconds, such as `2026-11-21T04:35:47Z`. `Parameters(encoding:by:)` has
    /// other spellings.
    public var parameterValue: String? { ISO8601Date.text(of: self) }
}
