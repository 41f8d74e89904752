// The values of FoundationEssentials that can be parameters.
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: ParameterValue {
    /// In upper case with hyphens, as Foundation writes it.
    public var parameterValue: String? { uuidString }
}

extension URL: ParameterValue {
    /// The absolute URL.
    public var parameterValue: String? { absoluteString }
}
