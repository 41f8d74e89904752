// Freshness: the age and freshness lifetime of a stored response (RFC 9111 section 4.2).

import HTTPTypes

/// All times are in seconds and may have fractions.
package struct Freshness: Sendable, Hashable {
    /// The age at which the response becomes stale; 0 if the response gives no lifetime (section 4.2.1).
    package let lifetime: Double
    /// Whether the lifetime is heuristic (section 4.2.2).
    package let isHeuristic: Bool
    /// The age on arrival: `corrected_initial_age` of section 4.2.3.
    package let initialAge: Double
    private let responseTime: Double

    init(_ head: StoredHead, _ control: CacheControl, date: Int64?, lastModified: Int64?) {
        responseTime = head.responseTime
        let given = date.map { Double($0) } ?? head.responseTime
        let apparentAge = max(0, head.responseTime - given)
        let delay = max(0, head.responseTime - head.requestTime)
        initialAge = max(apparentAge, Double(Self.age(head.fields[values: .age])) + delay)
        if let maxAge = control.maxAge {
            (lifetime, isHeuristic) = (Double(maxAge), false)
        } else if head.fields.contains(.expires) {
            (lifetime, isHeuristic) = (Self.lifetime(head.fields[values: .expires], from: given), false)
        } else if let lastModified, control.isPublic || StoringRules.isHeuristicallyCacheable(head.status) {
            (lifetime, isHeuristic) = (max(0, given - Double(lastModified)) / 10, true)
        } else {
            (lifetime, isHeuristic) = (0, false)
        }
    }

    /// The `current_age`. A clock that was set back does not lower it below the age on arrival.
    package func age(at now: Double) -> Double { initialAge + max(0, now - responseTime) }

    /// The time for which the response stays fresh; negative if it is stale.
    package func timeToLive(at now: Double) -> Double { lifetime - age(at: now) }

    /// The time until the Expires date. More than one field, or a field that is not a date, counts as in the past
    /// (section 5.3).
    private static func lifetime(_ expires: [String], from given: Double) -> Double {
        guard expires.count == 1, let end = expires.first.flatMap({ HTTPDate.parse($0) }) else { return 0 }
        return min(max(0, Double(end) - given), Double(CacheControl.longest))
    }

    /// The first Age value counts (section 5.1); 0 if it is not a number of seconds.
    private static func age(_ fields: [String]) -> Int64 {
        let first = fields.first?.split(separator: ",", omittingEmptySubsequences: false).first
        return CacheControl.seconds(first.map { $0.filter { $0 != " " } }) ?? 0
    }

    /// The seconds rounded down, within the limits of an Age field.
    package static func whole(_ seconds: Double) -> Int64 {
        let limit = Double(CacheControl.longest)
        return Int64(min(max(seconds.isNaN ? 0 : seconds, -limit), limit).rounded(.down))
    }
}
