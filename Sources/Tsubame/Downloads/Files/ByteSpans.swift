// ByteSpans: the spans of a file whose bytes are there.

/// Spans of positions in order. None of them is empty, and none touches another.
struct ByteSpans: Sendable, Hashable {
    /// The most spans in a record; Tsubame writes none with more.
    private static let maximumCount = 4096

    private(set) var list: [Range<Int64>] = []

    init() {}

    /// The span of all positions before `end`.
    init(upTo end: Int64) {
        if end > 0 { list = [0..<end] }
    }

    /// The number of bytes in all spans.
    var count: Int64 { list.reduce(0) { $0 &+ ($1.upperBound &- $1.lowerBound) } }

    mutating func add(_ span: Range<Int64>) {
        guard !span.isEmpty else { return }
        // Nearly always, bytes are added to the end of a span.
        if let index = list.firstIndex(where: { $0.upperBound == span.lowerBound }),
            index + 1 == list.count || list[index + 1].lowerBound > span.upperBound
        {
            list[index] = list[index].lowerBound..<span.upperBound
            return
        }
        var (merged, rest) = (span, [Range<Int64>]())
        for other in list {
            if other.upperBound < merged.lowerBound || other.lowerBound > merged.upperBound {
                rest.append(other)
            } else {
                merged = min(merged.lowerBound, other.lowerBound)..<max(merged.upperBound, other.upperBound)
            }
        }
        rest.append(merged)
        list = rest.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The first missing bytes within `span`; nil if none are missing.
    func gap(in span: Range<Int64>) -> Range<Int64>? {
        var start = span.lowerBound
        for other in list where other.upperBound > start {
            if other.lowerBound > start {
                return start < span.upperBound ? start..<min(other.lowerBound, span.upperBound) : nil
            }
            start = other.upperBound
        }
        return start < span.upperBound ? start..<span.upperBound : nil
    }

    /// The spans without the positions from `end` on.
    func clipped(to end: Int64) -> ByteSpans {
        var result = ByteSpans()
        for span in list where span.lowerBound < end {
            result.list.append(span.lowerBound..<min(span.upperBound, end))
        }
        return result
    }
}

extension ByteSpans: Codable {
    init(from decoder: any Decoder) throws {
        let ends = try decoder.singleValueContainer().decode([Int64].self)
        var last: Int64 = -1
        for index in stride(from: 0, to: ends.count - ends.count % 2, by: 2) {
            guard ends[index] > last, ends[index + 1] > ends[index], list.count < Self.maximumCount else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "spans that overlap, or are too many"))
            }
            list.append(ends[index]..<ends[index + 1])
            last = ends[index + 1]
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(list.flatMap { [$0.lowerBound, $0.upperBound] })
    }
}
