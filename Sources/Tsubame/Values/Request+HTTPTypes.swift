// Request+HTTPTypes: requests from and to HTTPRequest, the value of swift-http-types.

public import HTTPTypes
public import TsubameCore

extension Request {
    /// The request of a value of swift-http-types. Its pseudo-fields become the URL: `https` without a scheme, `/` without
    /// a path. A value without an authority cannot be sent.
    public init(_ request: HTTPRequest, body: RequestBody = .empty) {
        let path = request.path ?? "/"
        let asksServer = path == "*" && request.method == .options
        let url = "\(request.scheme ?? "https")://\(request.authority ?? "")\(asksServer ? "/" : path)"
        self.init(request.method, url: url, headers: RequestHeaders(request.headerFields), body: body)
        if asksServer { self.asksServer = true }
    }

    /// The request as a value of swift-http-types, without its body.
    /// - Throws: ``CallError/Kind/invalidRequest`` for an invalid request, or for one whose path no client has completed
    ///   yet. `Response.request` has a whole URL.
    public func httpRequest() throws(CallError) -> HTTPRequest {
        switch target {
        case .invalid(let error): throw error
        case .path:
            throw CallError(
                .invalidRequest, "the request has a path and no whole URL: \(summary)",
                advice: "make it with Request(_:url:), or take it from a response", request: self)
        case .uri(let uri):
            if let problem = headers.problem { throw CallError(.invalidRequest, problem, request: self) }
            return HTTPRequest(
                method: method, scheme: uri.isSecure ? "https" : "http", authority: uri.authority,
                path: asksServer ? "*" : uri.target, headerFields: headers.fields)
        }
    }
}
