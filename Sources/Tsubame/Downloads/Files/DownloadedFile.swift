// DownloadedFile: the result of a download.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore

/// A complete file, and the response that brought it.
public struct DownloadedFile: Sendable, CustomStringConvertible {
    /// The URL of the file.
    public let url: URL
    /// The path as the caller named it: relative, if the folder was.
    package let path: String
    /// The last response of the download, without its body. Its status is 206 if the download was resumed.
    public let response: Response
    /// The file's length in bytes.
    public let count: Int64
    /// The number of bytes that were there before this call.
    public let resumed: Int64

    /// The path and the length.
    public var description: String {
        "\(url.path), \(count) bytes" + (resumed > 0 ? ", \(resumed) of them from before" : "")
    }
}
