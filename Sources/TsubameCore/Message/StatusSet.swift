// StatusSet: a set of status codes, such as those that a request accepts.

public import HTTPTypes

/// A set of status codes, given by ranges.
///
/// ```swift
/// request.acceptedStatuses = .successful.union(404...404)
/// ```
public struct StatusSet: Sendable, Hashable {
    private var ranges: [ClosedRange<Int>]

    /// The set of the status codes in these ranges.
    public init(_ ranges: ClosedRange<Int>...) { self.ranges = ranges }

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

    /// Whether the set contains the status.
    public func contains(_ status: HTTPResponse.Status) -> Bool {
        ranges.contains { $0.contains(status.code) }
    }
}
