// DownloadProgress: how many bytes of a file have come, and how fast.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import TsubameCore

/// The progress of a download. It is reported when the response's head arrives, with the first bytes, then at most
/// every 50 ms, and at the end. For a download that can be resumed, it counts only bytes that a later call will
/// find in the file.
public struct DownloadProgress: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file when it is complete. The name gets another number if another file takes it first.
    public var file: URL
    /// Bytes that are there, including those of earlier calls.
    public var received: Int64
    /// The file's length in bytes; nil if it is not known.
    public var total: Int64?
    /// Bytes that were there before this call.
    public var resumed: Int64
    /// Bytes a second, averaged over this call.
    public var bytesPerSecond: Int64

    package init(file: URL, received: Int64, total: Int64?, resumed: Int64, bytesPerSecond: Int64) {
        self.file = file
        self.received = received
        self.total = total
        self.resumed = resumed
        self.bytesPerSecond = bytesPerSecond
    }

    /// The last component of the file's path.
    package var fileName: String { file.lastPathComponent }

    /// The received part of the file, from 0 to 1; nil if the total is not known.
    public var fraction: Double? { TransferProgress(bytes: received, total: total).fraction }

    /// A text such as `big.iso: 1048576 of 4194304 bytes (25%)`.
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
