// IdempotencyKeys: a hook that adds an Idempotency-Key to requests that may not be repeated otherwise.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore

/// Adds an `Idempotency-Key` to requests that may not be repeated otherwise, so that the server recognises a
/// repetition.
struct IdempotencyKeys: MessageHook {
    func willSend(_ request: inout Request) throws(CallError) {
        guard !request.method.isIdempotent, request.isMendedElsewhere?() != true,
            !request.headers.contains(.idempotencyKey)
        else { return }
        request.headers.append(HTTPField(name: .idempotencyKey, value: "\"\(UUID().uuidString.lowercased())\""))
    }
}
