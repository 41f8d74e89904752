// DownloadProgress: how far a download has come.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import TsubameCore

/// How far a download has come. Told when the response's head is there, with the first bytes, at most every 50 ms from
/// then on, and at the end;
/// of a download that can be resumed, only what is in the file and will be found again.
public struct DownloadProgress: Sendable, Hashable, CustomStringConvertible {
    /// Where the file will be, once it is whole; with a number more if another one comes first.
    public var file: URL
    /// Bytes that are there, those from before included.
    public var received: Int64
    /// Bytes in all; nil when that is not known.
    public var total: Int64?
    /// Bytes that were there before this call.
    public var resumed: Int64
    /// Bytes a second, over the whole of this call.
    public var bytesPerSecond: Int64

    /// The last part of its path.
    package var fileName: String { file.lastPathComponent }

    /// From 0 to 1; nil when the total is not known.
    public var fraction: Double? { Progress(bytes: received, total: total).fraction }

    /// `big.iso: 1048576 of 4194304 bytes (25%)`.
    public var description: String {
        var text = "\(file.lastPathComponent): \(received)"
        if let total, let fraction {
            text += " of \(total) bytes (\(Int(min(max(fraction, 0), 1) * 100))%)"
        } else {
            text += " bytes"
        }
        return resumed > 0 ? text + ", \(resumed) of them from before" : text
    }
}
