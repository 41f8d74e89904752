// CacheDirectives: sends a request's cache policy to the caches on its way.

import HTTPTypes
import TsubameCore

/// Turns `request.cachePolicy` into Cache-Control (RFC 9111 section 5.2.1).
final class CacheDirectives: ChainStep {
    func stance(toward request: borrowing Request) -> Stance {
        if case .standard = request.cachePolicy { .absent } else { .passing }
    }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {
        let directive: String
        switch request.cachePolicy {
        case .standard: return
        case .reload: directive = "no-cache"
        case .preferStored: directive = "max-stale"
        case .onlyStored: directive = "only-if-cached"
        }
        guard !request.headers.contains(.cacheControl) else { return }
        request.headers.append(HTTPField(name: .cacheControl, value: directive))
    }
}
