// UploadProgress: how many bytes of a body were sent, and how fast.

import TsubameCore

/// The progress of an upload. It is reported at most every 50 ms while bytes are sent, whenever the server says how
/// many it has, when the upload resumes, and at the end.
public struct UploadProgress: Sendable, Hashable, CustomStringConvertible {
    /// Bytes of the body that the socket has taken. After an interruption it counts the bytes that the server has
    /// received, so it falls if more had been sent.
    public var sent: Int64
    /// Length of the body in bytes; nil if it is not known.
    public var total: Int64?
    /// Bytes that the server says it has, and that are never sent again.
    public var acknowledged: Int64
    /// How often the upload was resumed after an interruption.
    public var resumptions: Int
    /// Bytes a second, averaged over this call.
    public var bytesPerSecond: Int64

    /// The sent part of the body, from 0 to 1; nil if the total is not known.
    public var fraction: Double? { TransferProgress(bytes: sent, total: total).fraction }

    /// A text such as `1048576 of 4194304 bytes (25%)`.
    public var description: String {
        var text = "\(sent)"
        if let total, let fraction {
            text += " of \(total) bytes (\(Int(min(max(fraction, 0), 1) * 100))%)"
        } else {
            text += " bytes"
        }
        return resumptions > 0 ? text + ", resumed \(resumptions == 1 ? "once" : "\(resumptions) times")" : text
    }
}
