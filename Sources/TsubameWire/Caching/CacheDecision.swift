// CacheDecision: what a cache does with a request, given the stored response that answers it.

import TsubameCore

/// Pure: from what request and response say and the time to what happens next (RFC 9111 section 4).
package enum CacheDecision: Sendable, Hashable {
    /// Why a stale response is used nevertheless.
    package enum Excuse: String, Sendable, Hashable {
        /// The request takes it: `max-stale`, or its policy.
        case maxStale = "max-stale"
        /// The response allows it while the origin is asked anew (RFC 5861 section 3).
        case staleWhileRevalidate = "stale-while-revalidate"
        /// The response or the request allows it where the origin fails (RFC 5861 section 4).
        case staleIfError = "stale-if-error"
    }

    /// The stored response is the answer.
    case reuse(Excuse?)
    /// The origin is asked whether it still holds.
    case validate(CacheStatus.Forward)
    /// The origin is asked as if nothing were stored.
    case forward(CacheStatus.Forward)
    /// Neither: 504 (section 5.2.1.7).
    case refuse

    /// - Parameter stored: nil if there is none that answers the request.
    package init(
        _ request: CacheTerms, stored: StoredTerms?, at now: Double, otherwise miss: CacheStatus.Forward = .uriMiss
    ) {
        let decision = Self.unrestricted(request, stored, now, miss)
        switch decision {
        case .validate where request.onlyIfCached, .forward where request.onlyIfCached: self = .refuse
        default: self = decision
        }
    }

    private static func unrestricted(
        _ request: CacheTerms, _ stored: StoredTerms?, _ now: Double, _ miss: CacheStatus.Forward
    ) -> CacheDecision {
        if case .other = request.method { return .forward(.method) }
        if request.conditions.needsOrigin { return .forward(.bypass) }
        if request.policy == .reload { return .forward(.request) }
        guard let stored else { return .forward(miss) }
        if request.control.noCache != .nothing { return .asking(stored, request, .request) }
        if stored.control.noCache == .everything { return .asking(stored, request, .stale) }
        let age = stored.freshness.age(at: now)
        let ownStaleness = age - stored.freshness.lifetime
        var lifetime = stored.freshness.lifetime
        // Whoever reloads asks for max-age=0: for what never changes there is no need (RFC 8246 section 2).
        let isUnchanging = stored.control.isImmutable && ownStaleness < 0
        if let maxAge = request.control.maxAge, !isUnchanging { lifetime = min(lifetime, Double(maxAge)) }
        let minFresh = Double(request.control.minFresh ?? 0)
        if lifetime > age, lifetime - age >= minFresh { return .reuse(nil) }
        let why: CacheStatus.Forward = ownStaleness < 0 ? .request : .stale
        // Still fresh by its own terms: nothing that is about stale responses forbids it.
        let mayBeStale = ownStaleness < 0 || !stored.control.mustRevalidate
        if mayBeStale, minFresh == 0 {
            switch request.maxStale {
            case .any: return .reuse(.maxStale)
            case .seconds(let seconds) where age - lifetime <= Double(seconds): return .reuse(.maxStale)
            default: break
            }
            if let seconds = stored.control.staleWhileRevalidate, ownStaleness >= 0, ownStaleness <= Double(seconds),
                request.control.maxAge == nil, !request.onlyIfCached
            {
                return .reuse(.staleWhileRevalidate)
            }
        }
        return .asking(stored, request, why)
    }

    private static func asking(
        _ stored: StoredTerms, _ request: CacheTerms, _ why: CacheStatus.Forward
    ) -> CacheDecision {
        // The caller's own conditions are what he wants to have answered. What a HEAD says is compared with what is stored.
        let isOwn = request.conditions.isEmpty && request.method == .get
        return isOwn && stored.canBeValidated ? .validate(why) : .forward(why)
    }

    /// Whether a stored response stands in for an origin that fails: whose connection fails, or who says so by a 5xx
    /// (RFC 5861 section 4).
    package static func permitsStaleOnError(_ request: CacheTerms, _ stored: StoredTerms, at now: Double) -> Bool {
        guard !stored.control.mustRevalidate, stored.control.noCache != .everything,
            request.control.noCache == .nothing, request.policy != .reload, !request.conditions.needsOrigin
        else { return false }
        let staleness = -stored.freshness.timeToLive(at: now)
        let allowed = max(stored.control.staleIfError ?? -1, request.control.staleIfError ?? -1)
        return allowed >= 0 && staleness <= Double(allowed)
    }

    /// The statuses for which `stale-if-error` holds.
    package static func isError(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }
}
