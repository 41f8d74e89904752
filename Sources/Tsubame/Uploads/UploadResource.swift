// UploadResource: the URI at which an upload resumes, and the requests that are sent there.

import HTTPTypes
import TsubameCore

/// The resource that a server names by the Location of a 104. It is less trusted than the Location of a redirect.
/// It must be at the origin that named it, or at one of ``Configuration/allowedOrigins``, because the client's
/// cookies and credentials go there.
struct UploadResource: Sendable, Hashable {
    let uri: TargetURI
    /// Whether the caller's request was cross-origin. Then this request gets the caller's headers, but not the
    /// client's.
    private let isCrossOrigin: Bool

    /// The reason why a Location cannot be used.
    struct Unusable: Error {
        let reason: String
    }

    /// Decides which servers may name an upload resource, and at which origins.
    struct Trust: Sendable {
        /// The URI of the call's first request.
        let home: TargetURI?
        /// Whether the first request went to none of the client's own origins.
        let isCrossOrigin: Bool
        let allowedOrigins: Set<Origin>
        let allowsInsecure: Bool

        /// Whether the server of a request may name the upload resource. The server that the caller asked may, also
        /// if HSTS upgraded the request to https. The server of another origin, after a redirect, may only if that
        /// origin is allowed.
        func mayName(_ request: Request) -> Bool {
            guard let home, let origin = request.uri?.origin else { return false }
            let isUpgrade = !home.isSecure && origin == home.upgraded.origin && !request.isCrossOrigin
            return origin == home.origin || isUpgrade || isAllowed(origin)
        }

        /// A cross-origin request has no say about the client's allowed origins.
        fileprivate func isAllowed(_ origin: Origin) -> Bool { !isCrossOrigin && allowedOrigins.contains(origin) }
    }

    /// - Parameters:
    ///   - locations: the values of the Location field.
    ///   - base: the URI of the request whose response had the field.
    init(_ locations: [String], from base: TargetURI?, _ trust: Trust) throws(Unusable) {
        guard let location = locations.first, Set(locations).count == 1 else {
            throw Unusable(reason: "the server names several upload resources")
        }
        guard let base, let destination = try? base.resolving(location) else {
            throw Unusable(reason: "the upload resource is not a valid URI")
        }
        guard case .uri(let resolved) = destination else {
            throw Unusable(reason: "the upload resource is neither http nor https")
        }
        let uri = resolved.inheriting(from: base)
        guard uri.origin == base.origin || trust.isAllowed(uri.origin) else {
            throw Unusable(reason: "the upload resource is at another origin, \(uri.origin)")
        }
        if base.isSecure, !uri.isSecure, !trust.allowsInsecure {
            throw Unusable(reason: "the upload began over https, and the upload resource is at \(uri.origin)")
        }
        self.uri = uri
        isCrossOrigin = trust.isCrossOrigin
    }

    /// A request to the upload resource. It has those headers of the original request that say who asks, and any
    /// others that the server may want. It has none that describe the content or belong to the first request only.
    func request(_ method: HTTPRequest.Method, from original: Request) -> Request {
        var request = Request(method, uri: uri)
        request.headers = original.headers
        request.headers.removeAll { field in
            let name = field.name.canonicalName
            return Self.ofFirstRequest.contains(name) || Self.prefixes.contains { name.hasPrefix($0) }
        }
        request.isCrossOrigin = isCrossOrigin
        request.headers[.uploadDraftInteropVersion] = "\(UploadFields.interopVersion)"
        request.timeouts = original.timeouts
        request.priority = original.priority
        request.tags = original.tags
        request.acceptedStatuses = original.acceptedStatuses
        request.contentFields = UploadFields.ofContent
        return request
    }

    private static let prefixes = ["content-", "upload-", "if-"]
    private static let ofFirstRequest: Set<String> = [
        "host", "expect", "range", "idempotency-key", "repr-digest", "digest", "want-repr-digest",
        "want-content-digest",
        "trailer",
    ]
}
