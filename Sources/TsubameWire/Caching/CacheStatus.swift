// CacheStatus: the way a cache handled a request, for the Cache-Status field (RFC 9211).

package struct CacheStatus: Sendable, Hashable {
    /// Why a request went to the origin (RFC 9211 section 2.2).
    package enum Forward: String, Sendable, Hashable {
        case bypass
        case method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case request
        case stale
    }

    /// nil if the request did not go to the origin.
    package var forward: Forward?
    package var isHit = false
    /// The origin's status, if it differs from the response's status.
    package var forwardStatus: Int?
    package var isStored = false
    /// How long the response stays fresh, in seconds; negative for a stale response.
    package var timeToLive: Int64?
    /// A token with further details.
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

    /// The value of the field, such as `tsubame; hit; ttl=30`.
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
