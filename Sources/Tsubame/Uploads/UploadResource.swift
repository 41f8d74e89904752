// UploadResource: where an upload goes on, and what may be told there.

import HTTPTypes
import TsubameCore

/// What a server names by the Location of a 104. It is less trusted than the Location of a redirect: it lies at the origin that
/// named it, or at one of ``Configuration/allowedOrigins``, since the client's cookies and credentials go there.
struct UploadResource: Sendable, Hashable {
    let uri: TargetURI
    /// As the caller's request was: then it gets the caller's own fields, and none of the client's.
    private let isForeign: Bool

    /// A Location that cannot be made use of.
    struct Unusable: Error {
        let reason: String
    }

    /// Who may name a place, and where.
    struct Trust: Sendable {
        /// Where the call began.
        let home: TargetURI?
        /// Whether that is none of the client's own origins.
        let isForeign: Bool
        let allowedOrigins: Set<Origin>
        let allowsInsecure: Bool

        /// Whether the server of a request may say where the upload goes on: the one that the caller asked, if only by https
        /// (HSTS), and none that a redirect led to.
        func mayName(_ request: Request) -> Bool {
            guard let home, let origin = request.uri?.origin else { return false }
            let isUpgrade = !home.isSecure && origin == home.upgraded.origin && !request.isForeign
            return origin == home.origin || isUpgrade || isAllowed(origin)
        }

        /// What does not belong to the client itself has no say about the client's other origins.
        fileprivate func isAllowed(_ origin: Origin) -> Bool { !isForeign && allowedOrigins.contains(origin) }
    }

    /// - Parameters:
    ///   - locations: the values of the field.
    ///   - base: where it came from.
    init(_ locations: [String], from base: TargetURI?, _ trust: Trust) throws(Unusable) {
        guard let location = locations.first, Set(locations).count == 1 else {
            throw Unusable(reason: "the server names several places to go on at")
        }
        guard let base, let destination = try? base.resolving(location) else {
            throw Unusable(reason: "the place to go on at is no valid URI")
        }
        guard case .uri(let resolved) = destination else {
            throw Unusable(reason: "the place to go on at is neither http nor https")
        }
        let uri = resolved.inheriting(from: base)
        guard uri.origin == base.origin || trust.isAllowed(uri.origin) else {
            throw Unusable(reason: "the place to go on at is at another origin, \(uri.origin)")
        }
        if base.isSecure, !uri.isSecure, !trust.allowsInsecure {
            throw Unusable(reason: "from https it would go on without protection, at \(uri.origin)")
        }
        self.uri = uri
        isForeign = trust.isForeign
    }

    /// A request to it, with those fields of the upload's own that say who asks and what else its server may want, but nothing of
    /// what was to be said of the content, or with the first request.
    func request(_ method: HTTPRequest.Method, from original: Request) -> Request {
        var request = Request(method, uri: uri)
        request.headers = original.headers
        request.headers.removeAll { field in
            let name = field.name.canonicalName
            return Self.ofFirstRequest.contains(name) || Self.prefixes.contains { name.hasPrefix($0) }
        }
        request.isForeign = isForeign
        request.headers[.uploadDraftInteropVersion] = "\(UploadFields.interopVersion)"
        request.timeouts = original.timeouts
        request.priority = original.priority
        request.tags = original.tags
        request.acceptedStatuses = original.acceptedStatuses
        request.isMendedElsewhere = { true }
        return request
    }

    private static let prefixes = ["content-", "upload-", "if-"]
    private static let ofFirstRequest: Set<String> = [
        "host", "expect", "range", "idempotency-key", "repr-digest", "digest", "want-repr-digest",
        "want-content-digest",
        "trailer",
    ]
}
