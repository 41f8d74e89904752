// CacheDecision: the way a cache handles a request, given the stored response for it.

import TsubameCore

/// A pure function of the request, the stored response and the time (RFC 9111 section 4).
package enum CacheDecision: Sendable, Hashable {
    /// Why a stale response is used.
    package enum Excuse: String, Sendable, Hashable {
        /// The request accepts it: by `max-stale` or by its cache policy.
        case maxStale = "max-stale"
        /// The response allows it while the cache revalidates it (RFC 5861 section 3).
        case staleWhileRevalidate = "stale-while-revalidate"
        /// The response or the request allows it while the origin fails (RFC 5861 section 4).
        case staleIfError = "stale-if-error"
    }

    /// Answer with the stored response.
    case reuse(Excuse?)
    /// Ask the origin whether the stored response is still valid.
    case validate(CacheStatus.Forward)
    /// Send the request to the origin as if no response were stored.
    case forward(CacheStatus.Forward)
    /// Answer with 504, because the request allows only a stored response (section 5.2.1.7).
    case refuse

    /// - Parameter stored: the stored response that matches the request; nil if there is none.
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
        // A reload sends max-age=0. An immutable response that is still fresh need not be revalidated (RFC 8246
        // section 2).
        let isUnchanging = stored.control.isImmutable && ownStaleness < 0
        if let maxAge = request.control.maxAge, !isUnchanging { lifetime = min(lifetime, Double(maxAge)) }
        let minFresh = Double(request.control.minFresh ?? 0)
        if lifetime > age, lifetime - age >= minFresh { return .reuse(nil) }
        let why: CacheStatus.Forward = ownStaleness < 0 ? .request : .stale
        // The response is still fresh by its own terms, so `must-revalidate` does not forbid its use.
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
        // The caller's own conditions go to the origin unchanged. The response to a HEAD is compared with the stored
        // response instead.
        let isOwn = request.conditions.isEmpty && request.method == .get
        return isOwn && stored.canBeValidated ? .validate(why) : .forward(why)
    }

    /// Whether the stored response may replace a failure of the origin: a failed connection or a 5xx status (RFC 5861
    /// section 4).
    package static func permitsStaleOnError(_ request: CacheTerms, _ stored: StoredTerms, at now: Double) -> Bool {
        guard !stored.control.mustRevalidate, stored.control.noCache != .everything,
            request.control.noCache == .nothing, request.policy != .reload, !request.conditions.needsOrigin
        else { return false }
        let staleness = -stored.freshness.timeToLive(at: now)
        let allowed = max(stored.control.staleIfError ?? -1, request.control.staleIfError ?? -1)
        return allowed >= 0 && staleness <= Double(allowed)
    }

    /// Whether `stale-if-error` applies to the status.
    package static func isError(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }
}
