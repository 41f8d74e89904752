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
