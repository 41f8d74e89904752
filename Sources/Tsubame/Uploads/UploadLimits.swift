// UploadLimits: the sizes that a server accepts, by the field Upload-Limit.

import HTTPTypes
import TsubameCore
import TsubameWire

/// Sizes in bytes; nil means no limit.
struct UploadLimits: Sendable, Hashable {
    var maximumSize: Int64?
    var minimumSize: Int64?
    /// The most content of one request that appends.
    var maximumAppendSize: Int64?

    init() {}

    /// nil if there is no such field, or if the field must be ignored. It must be ignored if it is not a
    /// dictionary, or a known key has a value of another type.
    init?(_ fields: ReceivedFields) {
        guard let members = fields[.uploadLimit].flatMap(StructuredField.dictionary) else { return nil }
        for key in ["max-size", "min-size", "max-append-size", "min-append-size", "max-age"] {
            guard let value = members[key] else { continue }
            guard case .integer(let count) = value else { return nil }
            switch key {
            case "max-size": maximumSize = count
            case "min-size": minimumSize = count
            case "max-append-size": maximumAppendSize = count
            // The last request of an upload may be smaller than min-append-size. After max-age, the server refuses.
            default: continue
            }
        }
    }

    /// The error for a body of this length; nil if the server accepts it.
    func problem(_ length: Int64) -> CallError? {
        if let maximumSize, length > maximumSize {
            return problem(length, "takes no more than \(maximumSize)", "max-size")
        }
        if let minimumSize, length < minimumSize {
            return problem(length, "takes no fewer than \(minimumSize)", "min-size")
        }
        if let maximumAppendSize, maximumAppendSize < 1 {
            return problem(length, "takes none in one request", "max-append-size")
        }
        return nil
    }

    private func problem(_ length: Int64, _ what: String, _ key: String) -> CallError {
        CallError(
            .limitExceeded, "the body has \(length) bytes, and the server \(what) (Upload-Limit: \(key))",
            phase: .sendingBody)
    }
}
