// Freshness: how old a stored response is, and how old it may become (RFC 9111 section 4.2).

import HTTPTypes

/// In seconds, which may be fractions.
package struct Freshness: Sendable, Hashable {
    /// How old the response may become before it is stale; 0 if nothing permits any time (section 4.2.1).
    package let lifetime: Double
    /// Whether the lifetime is a guess (section 4.2.2).
    package let isHeuristic: Bool
    /// How old it was when it came: `corrected_initial_age` of section 4.2.3.
    package let initialAge: Double
    private let responseTime: Double

    /// - Parameter fields: of the response.
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

    /// `current_age`; a clock that was set back makes nothing younger than it came.
    package func age(at now: Double) -> Double { initialAge + max(0, now - responseTime) }

    /// How long it stays fresh from now; negative once it is stale.
    package func timeToLive(at now: Double) -> Double { lifetime - age(at: now) }

    /// The time up to an Expires. All but a single date is in the past (section 5.3).
    private static func lifetime(_ expires: [String], from given: Double) -> Double {
        guard expires.count == 1, let end = expires.first.flatMap({ HTTPDate.parse($0) }) else { return 0 }
        return min(max(0, Double(end) - given), Double(CacheControl.longest))
    }

    /// Of several the first counts (section 5.1); 0 for what is no number of seconds.
    private static func age(_ fields: [String]) -> Int64 {
        let first = fields.first?.split(separator: ",", omittingEmptySubsequences: false).first
        return CacheControl.seconds(first.map { $0.filter { $0 != " " } }) ?? 0
    }

    /// A whole number of seconds that an Age field or a message can hold.
    package static func whole(_ seconds: Double) -> Int64 {
        let limit = Double(CacheControl.longest)
        return Int64(min(max(seconds.isNaN ? 0 : seconds, -limit), limit).rounded(.down))
    }
}
