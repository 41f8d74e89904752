// ContentRange: which part of a representation came.

import HTTPTypes

/// Which part of a representation a response of status 206 holds, or how long it is where 416 says that the range lies
/// outside it (RFC 9110 section 14.4).
public struct ContentRange: Sendable, Hashable {
    /// The positions of the first and the last byte; nil with status 416.
    public let bytes: ClosedRange<Int64>?
    /// The length of the whole; nil if the server does not know it.
    public let total: Int64?

    /// How many bytes it holds; nil with status 416.
    public var length: Int64? {
        // A last position of Int64.max is never let in, so that this cannot overflow.
        bytes.map { $0.upperBound - $0.lowerBound + 1 }
    }

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
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last,
            last < .max
        else { return nil }
        if let total, last >= total { return nil }
        bytes = first...last
    }
}

extension Response {
    /// What of the whole this response holds; nil if it does not say, or not so that it could be true.
    public var contentRange: ContentRange? { headers[.contentRange].flatMap { ContentRange($0) } }
}
