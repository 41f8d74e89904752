// ByteRange: the part of a representation that a request asks for.

import HTTPTypes

/// A part of a representation, in bytes (RFC 9110 section 14.1.2).
public enum ByteRange: Sendable, Hashable, CustomStringConvertible {
    /// The bytes from the first to the last position, both included.
    case bytes(ClosedRange<Int64>)
    /// The bytes from this position to the end.
    case from(Int64)
    /// This many bytes at the end.
    case last(Int64)

    /// The range as the field Range has it; nil if it is not a valid range.
    var text: String? {
        switch self {
        case .bytes(let range): range.lowerBound >= 0 ? "\(range.lowerBound)-\(range.upperBound)" : nil
        case .from(let first): first >= 0 ? "\(first)-" : nil
        case .last(let count): count > 0 ? "-\(count)" : nil
        }
    }

    /// The value of the field Range, such as `bytes=0-99`.
    public var description: String { text.map { "bytes=\($0)" } ?? "no range" }
}

extension Request {
    /// Asks only for parts of the representation. This sets Range, and asks for no content coding, because a coding
    /// would change the positions.
    ///
    /// The server answers 206 with ``Response/contentRange``, or 416 if there is no such part. A server that does not
    /// know ranges answers 200 with the whole. If a range is not valid, the call fails with
    /// ``CallError/Kind/invalidRequest``.
    public mutating func ask(for ranges: ByteRange...) {
        let texts = ranges.compactMap(\.text)
        guard !texts.isEmpty, texts.count == ranges.count else {
            target = .invalid(
                CallError(.invalidRequest, "the byte range starts before the first byte, or is empty"))
            return
        }
        headers[.range] = "bytes=" + texts.joined(separator: ", ")
        headers[.acceptEncoding] = "identity"
    }
}
