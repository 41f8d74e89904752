// CacheStatus: what a cache did with a request, for the field Cache-Status (RFC 9211).

package struct CacheStatus: Sendable, Hashable {
    /// Why a request went to the origin (section 2.2).
    package enum Forward: String, Sendable, Hashable {
        case bypass
        case method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case request
        case stale
    }

    /// nil where the request went nowhere.
    package var forward: Forward?
    package var isHit = false
    /// What the origin answered, if that is not the response's own status.
    package var forwardStatus: Int?
    package var isStored = false
    /// How long the response stays fresh, in seconds; negative for a stale one.
    package var timeToLive: Int64?
    /// A token.
    package var detail: String?

    package init(
        forward: Forward? = nil, isHit: Bool = false, forwardStatus: Int? = nil, isStored: Bool = false,
        timeToLive: Int64? = nil, detail: String? = nil
    ) {
        self.forward = forward
        self.isHit = isHit
        self.forwardStatus = forwardStatus
        self.isStored = isStored
        self.timeToLive = timeToLive
        self.detail = detail
    }

    /// As it stands in the field: `tsubame; hit; ttl=30`.
    package var text: String {
        var text = "tsubame"
        if isHit { text += "; hit" }
        if let forward { text += "; fwd=\(forward.rawValue)" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if isStored { text += "; stored" }
        if let timeToLive { text += "; ttl=\(timeToLive)" }
        if let detail { text += "; detail=\(detail)" }
        return text
    }
}
