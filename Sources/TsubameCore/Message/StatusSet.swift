// StatusSet: a set of status codes, such as those that a request accepts.

public import HTTPTypes

/// A set of status codes, given by ranges and numbers.
///
/// ```swift
/// request.acceptedStatuses = .successful.union(404)
/// request.acceptedStatuses = [200, 201, 404]
/// request.acceptedStatuses = StatusSet(200...299, 400...499)
/// ```
public struct StatusSet: Sendable, Hashable, ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral {
    private var ranges: [ClosedRange<Int>]

    /// The set of the status codes in these ranges.
    public init(_ ranges: ClosedRange<Int>...) { self.ranges = ranges }

    /// The set of these status codes.
    public init(arrayLiteral codes: Int...) { ranges = codes.map { $0...$0 } }

    /// The set of one status code.
    public init(integerLiteral code: Int) { ranges = [code...code] }

    /// The status codes 200–299.
    public static let successful = StatusSet(200...299)
    /// Every status code.
    public static let all = StatusSet(0...999)

    /// This set and the status codes of another range.
    public func union(_ range: ClosedRange<Int>) -> StatusSet {
        var copy = self
        copy.ranges.append(range)
        return copy
    }

    /// This set and one more status code.
    public func union(_ code: Int) -> StatusSet { union(code...code) }

    /// The status codes of both sets.
    public func union(_ other: StatusSet) -> StatusSet {
        var copy = self
        copy.ranges += other.ranges
        return copy
    }

    /// Whether both sets have the same status codes.
    public static func == (left: StatusSet, right: StatusSet) -> Bool { left.merged == right.merged }

    /// Hashes the status codes.
    public func hash(into hasher: inout Hasher) { hasher.combine(merged) }

    /// The ranges in order, joined where they touch.
    private var merged: [ClosedRange<Int>] {
        guard ranges.count > 1 else { return ranges }
        return ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
            guard let last = merged.last, range.lowerBound <= last.upperBound &+ 1 else { return merged.append(range) }
            merged[merged.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
        }
    }

    /// Whether the set contains the status code.
    public func contains(_ code: Int) -> Bool { ranges.contains { $0.contains(code) } }

    /// Whether the set contains the status.
    public func contains(_ status: HTTPResponse.Status) -> Bool {
        ranges.contains { $0.contains(status.code) }
    }
}
