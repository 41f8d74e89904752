// ByteRange: which part of a representation is asked for, and which came.

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

/// Which part of a representation a response of status 206 holds, or how long it is where 416 says that the range lies
/// outside it (RFC 9110 section 14.4).
public struct ContentRange: Sendable, Hashable {
    /// The positions of the first and the last byte; nil with status 416.
    public let bytes: ClosedRange<Int64>?
    /// The length of the whole; nil if the server does not know it.
    public let total: Int64?

    /// nil for another unit than bytes, and for what contradicts itself.
    package init?(_ field: String) {
        func number(_ text: Substring) -> Int64? {
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
        }
        let words = field.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let number = number(parts[1]) else { return nil }
            total = number
        }
        if parts[0] == "*" {
            bytes = nil
            if total == nil { return nil }
            return
        }
        let ends = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last else {
            return nil
        }
        if let total, last >= total { return nil }
        bytes = first...last
    }
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

extension Response {
    /// What of the whole this response holds; nil if it does not say, or not so that it could be true.
    public var contentRange: ContentRange? { headers[.contentRange].flatMap { ContentRange($0) } }
}
