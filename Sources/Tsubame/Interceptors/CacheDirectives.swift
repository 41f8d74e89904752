// CacheDirectives: what a request says to caches on the way, until there is one of our own.

import HTTPTypes
import TsubameCore

/// Turns `request.cachePolicy` into Cache-Control (RFC 9111 section 5.2.1).
struct CacheDirectives: Hook {
    func willSend(_ request: inout Request) throws(CallError) {
        let directive: String
        switch request.cachePolicy {
        case .standard: return
        case .reload: directive = "no-cache"
        case .preferStored: directive = "max-stale"
        case .onlyStored: directive = "only-if-cached"
        }
        guard !request.headers.contains(.cacheControl) else { return }
        request.headers.appendSafely(HTTPField(name: .cacheControl, value: directive))
    }
}
