// DownloadedFile: what a download has come to.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore

/// A file that is whole, and how it came.
public struct DownloadedFile: Sendable, CustomStringConvertible {
    /// Where it is.
    public let url: URL
    /// The same as it was named: relative, if the folder was.
    package let path: String
    /// The response that the last of it came with, without a body: 206 if it was resumed.
    public let response: Response
    /// Its length in bytes.
    public let count: Int64
    /// How many of the bytes were there before this call.
    public let resumed: Int64

    /// Its path and length.
    public var description: String {
        "\(url.path), \(count) bytes" + (resumed > 0 ? ", \(resumed) of them from before" : "")
    }
}
