// Response+Data: the body as Foundation's Data.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore

extension Response {
    /// The body as `Data`, whatever the status is. It is empty for a response that is still being streamed.
    ///
    /// ``bytes`` has the same content without a copy.
    public var data: Data { Data(bytes) }
}
