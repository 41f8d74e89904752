// Client+Prepare: turns a request as the caller made it into the request that enters the chain.

import HTTPTypes
import TsubameCore
import TsubameWire

extension Client {
    /// Resolves a path against the base URL, and adds the client's fields and the body's content type.
    func prepare(_ request: consuming Request) throws(CallError) -> Request {
        try complete(&request)
        return request
    }

    /// Does the same in place, which copies nothing.
    private func complete(_ request: inout Request) throws(CallError) {
        // A request that was taken from a response still counts its answered challenges.
        if !request.isPlain, request.answeredChallenges > 0 { request.answeredChallenges = 0 }
        switch request.target {
        case .invalid(let error):
            throw error
        case .uri(let uri):
            switch base {
            case .none: break
            case .invalid(let error): throw error
            case .uri(let base):
                if !owns(uri.origin, home: base) { request.isCrossOrigin = true }
            }
        case .path(let path, let query):
            switch base {
            case .none:
                throw CallError(
                    .invalidRequest, "the path \"\(request.redaction.url(path.encoded))\" has no base URL",
                    advice: "give the client one: Client(\"https://…\"), or pass a whole URL: get(url:)",
                    request: request)
            case .invalid(let error):
                throw error
            case .uri(let base):
                let uri = base.appending(path: path.encoded)
                if path.escapesSlash { request.escapesSlash = true }
                request.target = .uri(query.isEmpty ? uri : uri.adding(query: query))
            }
        }
        if !defaults.areValid || !request.headers.isValid {
            if request.headers.isValid { request.headers = configuration.headers }
            throw request.headerError
        }
        if case .failed(let error) = request.body.content { throw error.with(request: request) }
        if request.headers.isEmpty, request.body.contentType == nil, request.body.contentCoding == nil,
            !request.isCrossOrigin
        {
            // Most requests have no fields of their own; these fields are made once.
            request.headers.fields = defaults.fields
            return
        }
        if !request.isCrossOrigin {
            for field in configuration.headers where !request.headers.contains(field.name) {
                request.headers.append(field)
            }
        }
        RequestDefaults.apply(to: &request)
    }

    /// Whether a request to an origin gets the client's own fields and credentials: at the origin of `home`, there after an
    /// upgrade to https (HSTS), and at one of ``Configuration/allowedOrigins``.
    func owns(_ origin: Origin, home: TargetURI) -> Bool {
        configuration.allowedOrigins.contains(origin) || isHome(origin, home)
    }

    /// Whether the origin is that of `home`, also after an upgrade to https (HSTS).
    func isHome(_ origin: Origin, _ home: TargetURI) -> Bool {
        if origin == home.origin { return true }
        return !home.isSecure && origin == home.upgraded.origin && configuration.hsts.store?.contains(home.host) == true
    }

    /// Makes the texts of the request withhold the same secrets as those of this client.
    func withhold(in request: inout Request) {
        if let redaction, request.redaction != redaction { request.redaction = redaction }
    }
}

extension Request {
    /// The error of a request with an invalid field.
    var headerError: CallError {
        CallError(.invalidRequest, headers.problem ?? "a field is invalid", request: self)
    }
}

/// The fields that every request has.
struct RequestDefaults {
    /// The fields of a request that sets none itself.
    let fields: HTTPFields
    /// Whether the configuration's own fields are valid.
    let areValid: Bool

    init(_ configuration: Configuration) {
        var request = Request(.get, "")
        request.headers = configuration.headers
        Self.apply(to: &request)
        fields = request.headers.fields
        areValid = configuration.headers.isValid
    }

    private static let userAgent = HTTPField(name: .userAgent, value: "Tsubame/\(Client.version)")
    private static let accept = HTTPField(name: .accept, value: "*/*")

    static func apply(to request: inout Request) {
        if let type = request.body.contentType {
            if let own = request.headers[.contentType] {
                // Without the boundary in Content-Type no recipient finds the parts.
                let whole = MultipartFraming.contentType(own, for: type)
                if whole != own { request.headers[.contentType] = whole }
            } else {
                request.headers.append(HTTPField(name: .contentType, value: type))
            }
        }
        if let coding = request.body.contentCoding, !request.headers.contains(.contentEncoding) {
            request.headers.append(HTTPField(name: .contentEncoding, value: coding))
        }
        if !request.headers.contains(.userAgent) { request.headers.append(userAgent) }
        if !request.headers.contains(.accept) { request.headers.append(accept) }
    }
}

extension Client {
    /// The version of this library, as it appears in `User-Agent` after `Tsubame/`.
    public static let version = "0.1.0"
}
