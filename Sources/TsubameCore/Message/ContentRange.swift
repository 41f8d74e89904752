// ContentRange: the part of a representation that a response holds.

import HTTPTypes

/// The part of a representation that a response of status 206 holds (RFC 9110 section 14.4). With status 416 the
/// requested part lies outside the representation, and only its length is known.
public struct ContentRange: Sendable, Hashable {
    /// The positions of the first and the last byte; nil with status 416.
    public let bytes: ClosedRange<Int64>?
    /// The length of the whole representation, in bytes; nil if the server does not know it.
    public let total: Int64?

    /// The number of bytes in the part; nil with status 416.
    public var length: Int64? {
        // `init` refuses a last position of Int64.max, so this cannot overflow.
        bytes.map { $0.upperBound - $0.lowerBound + 1 }
    }

    /// nil if the unit is not bytes, or if the value contradicts itself.
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
    /// The part that this response holds; nil if the response names none, or one that cannot be true.
    public var contentRange: ContentRange? { headers[.contentRange].flatMap { ContentRange($0) } }
}
