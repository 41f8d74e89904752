// UploadProgress: how far an upload has come.

import TsubameCore

/// How far an upload has come. Told at most every 50 ms while bytes go out, whenever the server says how many it has, when the
/// upload goes on behind an interruption, and at the end.
public struct UploadProgress: Sendable, Hashable, CustomStringConvertible {
    /// Bytes of the body that the socket has taken, those before an interruption included that the server has got. It falls back
    /// where the server has got fewer than had been sent.
    public var sent: Int64
    /// Bytes in all; nil when that is not known.
    public var total: Int64?
    /// Bytes that the server says it has, and that are never sent again.
    public var acknowledged: Int64
    /// How often the upload went on behind an interruption.
    public var resumptions: Int
    /// Bytes a second, over the whole of this call.
    public var bytesPerSecond: Int64

    /// From 0 to 1; nil when the total is not known.
    public var fraction: Double? { Progress(bytes: sent, total: total).fraction }

    /// `1048576 of 4194304 bytes (25%)`.
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
