// CommonParameters: a message hook that adds the same parameters to every request of a client.

import HTTPTypes
public import TsubameCore
public import TsubameWire

/// Adds the same parameters to every request. If the body is a form in memory
/// (`application/x-www-form-urlencoded`), the parameters go into the form. Otherwise they go into the query, for
/// every method. A cross-origin request does not get them.
///
/// ```swift
/// $0.interceptors += [CommonParameters { ["app": "viewer", "version": 2] }]
/// ```
public struct CommonParameters: MessageHook {
    private let make: @Sendable () -> Parameters

    /// Makes the hook from a closure that returns the parameters.
    /// - Parameter parameters: called for each call; returns the parameters to add.
    public init(_ parameters: @escaping @Sendable () -> Parameters) { make = parameters }

    /// Adds the parameters to the request.
    /// - Throws: ``CallError/Kind/invalidRequest`` if they cannot be encoded.
    public func willSend(_ request: inout Request) throws(CallError) {
        guard !request.isCrossOrigin, let uri = request.uri else { return }
        let parameters = make()
        if let failure = parameters.failure {
            throw CallError(
                .invalidRequest, "the common parameters cannot be encoded: \(failure)", underlying: failure,
                request: request)
        }
        let encoded = parameters.encoded()
        guard !encoded.isEmpty else { return }
        guard let bytes = request.body.bytes,
            request.headers[.contentType].flatMap({ MediaType($0) })?.essence == "application/x-www-form-urlencoded"
        else {
            request.target = .uri(uri.adding(query: encoded))
            return
        }
        // The form is joined as bytes, because the caller's form need not be in UTF-8.
        let form = Bytes(joining: bytes.count > 0 ? [bytes, Bytes("&"), Bytes(encoded)] : [Bytes(encoded)])
        request.body = .bytes(form, contentType: request.body.contentType)
    }
}
