// StatusSet: which statuses are fine.

public import HTTPTypes

/// A set of status codes, given by ranges.
///
/// ```swift
/// request.acceptedStatuses = .successful.union(404...404)
/// ```
public struct StatusSet: Sendable, Hashable {
    private var ranges: [ClosedRange<Int>]

    /// The statuses of these ranges.
    public init(_ ranges: ClosedRange<Int>...) { self.ranges = ranges }

    /// 200–299.
    public static let successful = StatusSet(200...299)
    /// Every status.
    public static let all = StatusSet(0...999)

    /// The same and those of another range.
    public func union(_ range: ClosedRange<Int>) -> StatusSet {
        var copy = self
        copy.ranges.append(range)
        return copy
    }

    /// Whether the status is one of them.
    public func contains(_ status: HTTPResponse.Status) -> Bool {
        ranges.contains { $0.contains(status.code) }
    }
}
