// CommonParameters: a message hook that adds the same parameters to every request of a client.

import HTTPTypes
public import TsubameCore
public import TsubameWire

/// Adds the same parameters to every request. If the body is a form in memory
/// (`application/x-www-form-urlencoded`), the parameters go into the form. Otherwise, and if the form is compressed or has
/// trailers, they go into the query, for every method. A cross-origin request does not get them.
///
/// ```swift
/// $0.interceptors += [CommonParameters { ["app": "viewer", "version": 2] }]
/// $0.interceptors += [CommonParameters { request in ["signature": signature(of: request)] }]
/// ```
/// A parameter that the request has by itself, in its query or its form, is left out, so that the request's value wins.
public struct CommonParameters: MessageHook {
    private let make: @Sendable (Request) -> Parameters

    /// Makes the hook from a closure that returns the parameters.
    /// - Parameter parameters: called for each call; returns the parameters to add.
    public init(_ parameters: @escaping @Sendable () -> Parameters) { make = { _ in parameters() } }

    /// Makes the hook from a closure that sees the request.
    /// - Parameter parameters: called for each call with its request; returns the parameters to add.
    public init(_ parameters: @escaping @Sendable (Request) -> Parameters) { make = parameters }

    /// Adds the parameters to the request.
    /// - Throws: ``CallError/Kind/invalidRequest`` if they cannot be encoded.
    public func willSend(_ request: inout Request) throws(CallError) {
        guard !request.isCrossOrigin, let uri = request.uri else { return }
        let common = make(request)
        if let failure = common.failure {
            throw CallError(
                .invalidRequest, "the common parameters cannot be encoded: \(failure)", underlying: failure,
                request: request)
        }
        let type = request.headers[.contentType].flatMap { MediaType($0) }
        let isForm = type?.essence == "application/x-www-form-urlencoded" && request.body.trailers == nil
        let form = isForm && !request.headers.contains(.contentEncoding) ? request.body.bytes : nil
        var own = Set(Parameters.decoding(uri.query ?? "").map(\.name))
        if let form { own.formUnion(Parameters.decoding(form).map(\.name)) }
        var parameters = Parameters(common.filter { !own.contains($0.name) }.map { ($0.name, $0.value) })
        parameters.spaces = common.spaces
        let encoded = parameters.encoded()
        guard !encoded.isEmpty else { return }
        guard let form else {
            request.target = .uri(uri.adding(query: encoded))
            return
        }
        // The form is joined as bytes, because the caller's form need not be in UTF-8.
        let joined = Bytes(joining: form.count > 0 ? [form, Bytes("&"), Bytes(encoded)] : [Bytes(encoded)])
        request.body = .bytes(joined, contentType: request.body.contentType)
    }
}
