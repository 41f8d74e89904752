// ByteRange: which part of a representation is asked for.

import HTTPTypes

/// A part of a representation, in bytes (RFC 9110 section 14.1.2).
public enum ByteRange: Sendable, Hashable, CustomStringConvertible {
    /// From the first to the last position, both included.
    case bytes(ClosedRange<Int64>)
    /// From this position to the end.
    case from(Int64)
    /// So many at the end.
    case last(Int64)

    /// As it stands in the field Range; nil for what can be no position.
    var text: String? {
        switch self {
        case .bytes(let range): range.lowerBound >= 0 ? "\(range.lowerBound)-\(range.upperBound)" : nil
        case .from(let first): first >= 0 ? "\(first)-" : nil
        case .last(let count): count > 0 ? "-\(count)" : nil
        }
    }

    /// As it stands in the field Range: `bytes=0-99`.
    public var description: String { text.map { "bytes=\($0)" } ?? "no range" }
}

extension Request {
    /// Asks for parts of the representation only: sets Range, and has no content coding applied, whose positions would
    /// be others. The answer is 206 with ``Response/contentRange``, 416 if there is no such part, or 200 with the whole
    /// from a server that does not know ranges. Ranges that make no sense are ``CallError/Kind/invalidRequest``.
    public mutating func ask(for ranges: ByteRange...) {
        let texts = ranges.compactMap(\.text)
        guard !texts.isEmpty, texts.count == ranges.count else {
            target = .invalid(
                CallError(.invalidRequest, "the range asked for begins before the beginning, or is empty"))
            return
        }
        headers[.range] = "bytes=" + texts.joined(separator: ", ")
        headers[.acceptEncoding] = "identity"
    }
}
