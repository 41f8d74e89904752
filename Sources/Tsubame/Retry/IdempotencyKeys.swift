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
final class IdempotencyKeys: ChainStep {
    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {
        // A transfer that is continued repeats no request.
        guard !request.method.isIdempotent, call.options.retriesItself?() != true,
            !request.headers.contains(.idempotencyKey)
        else { return }
        request.headers.append(HTTPField(name: .idempotencyKey, value: "\"\(UUID().uuidString.lowercased())\""))
    }
}
