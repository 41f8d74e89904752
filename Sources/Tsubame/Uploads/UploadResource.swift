// UploadResource: where an upload goes on, and what may be told there.

import HTTPTypes
import TsubameCore

/// What a server names by the Location of a 104. It is as little trusted as the Location of a redirect: at another origin nothing
/// of the client's and nothing that the caller put into the fields is sent.
struct UploadResource: Sendable, Hashable {
    let uri: TargetURI
    let isForeign: Bool

    /// A Location that cannot be made use of.
    struct Unusable: Error {
        let reason: String
    }

    /// What may go where.
    struct Trust: Sendable {
        /// Where the call began.
        let home: Origin?
        let allowedOrigins: Set<Origin>
        let allowsInsecure: Bool
    }

    /// - Parameters:
    ///   - locations: the values of the field.
    ///   - base: where it came from.
    ///   - isForeign: whether that is at another origin already.
    init(_ locations: [String], from base: TargetURI?, isForeign: Bool, _ trust: Trust) throws(Unusable) {
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
        if base.isSecure, !uri.isSecure, !trust.allowsInsecure {
            throw Unusable(reason: "from https it would go on without protection, at \(uri)")
        }
        self.uri = uri
        let isOwn = uri.origin == base.origin || uri.origin == trust.home || trust.allowedOrigins.contains(uri.origin)
        self.isForeign = isForeign || !isOwn
    }

    /// A request to it, with those fields of the upload's own that say who asks and what else its server may want, but nothing of
    /// what was to be said of the content, or with the first request.
    func request(_ method: HTTPRequest.Method, from original: Request) -> Request {
        var request = Request(method, uri: uri)
        if !isForeign {
            request.headers = original.headers
            request.headers.removeAll { field in
                let name = field.name.canonicalName
                return Self.ofFirstRequest.contains(name) || Self.prefixes.contains { name.hasPrefix($0) }
            }
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
