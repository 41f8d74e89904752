// HeaderName: the name of a field in a literal of RequestHeaders.

public import HTTPTypes

/// The name of a field in a literal of ``RequestHeaders``: one of the registered names, or a string.
///
/// ```swift
/// let headers: RequestHeaders = [.accept: "application/json", "X-Api-Key": key]
/// ```
/// A literal needs one type for its names. Everywhere else, names are `HTTPField.Name` or `String`.
public struct HeaderName: Sendable, Hashable, ExpressibleByStringLiteral {
    let text: String
    /// nil if the text is no name.
    let name: HTTPField.Name?

    /// Takes any text. A request with an invalid name cannot be sent, and throws the reason.
    public init(_ text: String) { (self.text, name) = (text, HTTPField.Name(text)) }

    /// Takes a name that is known to be valid.
    public init(_ name: HTTPField.Name) { (text, self.name) = (name.rawName, name) }

    /// Whether the names are the same without regard to case.
    public static func == (left: HeaderName, right: HeaderName) -> Bool {
        left.text.lowercased() == right.text.lowercased()
    }

    /// Hashes the name in lower case.
    public func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }

    /// Takes a name as it is written in a literal.
    public init(stringLiteral text: String) { self.init(text) }
}

// The registered names, as HTTPTypes has them, with the text that is sent.
extension HeaderName {
    /// `Accept`.
    public static var accept: HeaderName { HeaderName(HTTPField.Name.accept) }
    /// `Accept-Encoding`.
    public static var acceptEncoding: HeaderName { HeaderName(HTTPField.Name.acceptEncoding) }
    /// `Accept-Language`.
    public static var acceptLanguage: HeaderName { HeaderName(HTTPField.Name.acceptLanguage) }
    /// `Accept-Ranges`.
    public static var acceptRanges: HeaderName { HeaderName(HTTPField.Name.acceptRanges) }
    /// `Access-Control-Allow-Credentials`.
    public static var accessControlAllowCredentials: HeaderName {
        HeaderName(HTTPField.Name.accessControlAllowCredentials)
    }
    /// `Access-Control-Allow-Headers`.
    public static var accessControlAllowHeaders: HeaderName { HeaderName(HTTPField.Name.accessControlAllowHeaders) }
    /// `Access-Control-Allow-Methods`.
    public static var accessControlAllowMethods: HeaderName { HeaderName(HTTPField.Name.accessControlAllowMethods) }
    /// `Access-Control-Allow-Origin`.
    public static var accessControlAllowOrigin: HeaderName { HeaderName(HTTPField.Name.accessControlAllowOrigin) }
    /// `Access-Control-Expose-Headers`.
    public static var accessControlExposeHeaders: HeaderName { HeaderName(HTTPField.Name.accessControlExposeHeaders) }
    /// `Access-Control-Max-Age`.
    public static var accessControlMaxAge: HeaderName { HeaderName(HTTPField.Name.accessControlMaxAge) }
    /// `Access-Control-Request-Headers`.
    public static var accessControlRequestHeaders: HeaderName { HeaderName(HTTPField.Name.accessControlRequestHeaders) }
    /// `Access-Control-Request-Method`.
    public static var accessControlRequestMethod: HeaderName { HeaderName(HTTPField.Name.accessControlRequestMethod) }
    /// `Age`.
    public static var age: HeaderName { HeaderName(HTTPField.Name.age) }
    /// `Allow`.
    public static var allow: HeaderName { HeaderName(HTTPField.Name.allow) }
    /// `Authentication-Info`.
    public static var authenticationInfo: HeaderName { HeaderName(HTTPField.Name.authenticationInfo) }
    /// `Authorization`.
    public static var authorization: HeaderName { HeaderName(HTTPField.Name.authorization) }
    /// `Available-Dictionary`.
    public static var availableDictionary: HeaderName { HeaderName(HTTPField.Name.availableDictionary) }
    /// `Cache-Control`.
    public static var cacheControl: HeaderName { HeaderName(HTTPField.Name.cacheControl) }
    /// `Connection`.
    public static var connection: HeaderName { HeaderName(HTTPField.Name.connection) }
    /// `Content-Disposition`.
    public static var contentDisposition: HeaderName { HeaderName(HTTPField.Name.contentDisposition) }
    /// `Content-Encoding`.
    public static var contentEncoding: HeaderName { HeaderName(HTTPField.Name.contentEncoding) }
    /// `Content-Language`.
    public static var contentLanguage: HeaderName { HeaderName(HTTPField.Name.contentLanguage) }
    /// `Content-Length`.
    public static var contentLength: HeaderName { HeaderName(HTTPField.Name.contentLength) }
    /// `Content-Location`.
    public static var contentLocation: HeaderName { HeaderName(HTTPField.Name.contentLocation) }
    /// `Content-Range`.
    public static var contentRange: HeaderName { HeaderName(HTTPField.Name.contentRange) }
    /// `Content-Security-Policy`.
    public static var contentSecurityPolicy: HeaderName { HeaderName(HTTPField.Name.contentSecurityPolicy) }
    /// `Content-Security-Policy-Report-Only`.
    public static var contentSecurityPolicyReportOnly: HeaderName {
        HeaderName(HTTPField.Name.contentSecurityPolicyReportOnly)
    }
    /// `Content-Type`.
    public static var contentType: HeaderName { HeaderName(HTTPField.Name.contentType) }
    /// `Cookie`.
    public static var cookie: HeaderName { HeaderName(HTTPField.Name.cookie) }
    /// `Cross-Origin-Resource-Policy`.
    public static var crossOriginResourcePolicy: HeaderName { HeaderName(HTTPField.Name.crossOriginResourcePolicy) }
    /// `Date`.
    public static var date: HeaderName { HeaderName(HTTPField.Name.date) }
    /// `Dictionary-ID`.
    public static var dictionaryID: HeaderName { HeaderName(HTTPField.Name.dictionaryID) }
    /// `Early-Data`.
    public static var earlyData: HeaderName { HeaderName(HTTPField.Name.earlyData) }
    /// `ETag`.
    public static var eTag: HeaderName { HeaderName(HTTPField.Name.eTag) }
    /// `Expect`.
    public static var expect: HeaderName { HeaderName(HTTPField.Name.expect) }
    /// `Expires`.
    public static var expires: HeaderName { HeaderName(HTTPField.Name.expires) }
    /// `From`.
    public static var from: HeaderName { HeaderName(HTTPField.Name.from) }
    /// `Host`.
    public static var host: HeaderName { HeaderName(HTTPField.Name.host) }
    /// `If-Match`.
    public static var ifMatch: HeaderName { HeaderName(HTTPField.Name.ifMatch) }
    /// `If-Modified-Since`.
    public static var ifModifiedSince: HeaderName { HeaderName(HTTPField.Name.ifModifiedSince) }
    /// `If-None-Match`.
    public static var ifNoneMatch: HeaderName { HeaderName(HTTPField.Name.ifNoneMatch) }
    /// `If-Range`.
    public static var ifRange: HeaderName { HeaderName(HTTPField.Name.ifRange) }
    /// `If-Unmodified-Since`.
    public static var ifUnmodifiedSince: HeaderName { HeaderName(HTTPField.Name.ifUnmodifiedSince) }
    /// `Last-Modified`.
    public static var lastModified: HeaderName { HeaderName(HTTPField.Name.lastModified) }
    /// `Location`.
    public static var location: HeaderName { HeaderName(HTTPField.Name.location) }
    /// `Max-Forwards`.
    public static var maxForwards: HeaderName { HeaderName(HTTPField.Name.maxForwards) }
    /// `Origin`.
    public static var origin: HeaderName { HeaderName(HTTPField.Name.origin) }
    /// `Priority`.
    public static var priority: HeaderName { HeaderName(HTTPField.Name.priority) }
    /// `Proxy-Authenticate`.
    public static var proxyAuthenticate: HeaderName { HeaderName(HTTPField.Name.proxyAuthenticate) }
    /// `Proxy-Authentication-Info`.
    public static var proxyAuthenticationInfo: HeaderName { HeaderName(HTTPField.Name.proxyAuthenticationInfo) }
    /// `Proxy-Authorization`.
    public static var proxyAuthorization: HeaderName { HeaderName(HTTPField.Name.proxyAuthorization) }
    /// `Proxy-Status`.
    public static var proxyStatus: HeaderName { HeaderName(HTTPField.Name.proxyStatus) }
    /// `Range`.
    public static var range: HeaderName { HeaderName(HTTPField.Name.range) }
    /// `Referer`.
    public static var referer: HeaderName { HeaderName(HTTPField.Name.referer) }
    /// `Retry-After`.
    public static var retryAfter: HeaderName { HeaderName(HTTPField.Name.retryAfter) }
    /// `Sec-Purpose`.
    public static var secPurpose: HeaderName { HeaderName(HTTPField.Name.secPurpose) }
    /// `Sec-WebSocket-Accept`.
    public static var secWebSocketAccept: HeaderName { HeaderName(HTTPField.Name.secWebSocketAccept) }
    /// `Sec-WebSocket-Extensions`.
    public static var secWebSocketExtensions: HeaderName { HeaderName(HTTPField.Name.secWebSocketExtensions) }
    /// `Sec-WebSocket-Key`.
    public static var secWebSocketKey: HeaderName { HeaderName(HTTPField.Name.secWebSocketKey) }
    /// `Sec-WebSocket-Protocol`.
    public static var secWebSocketProtocol: HeaderName { HeaderName(HTTPField.Name.secWebSocketProtocol) }
    /// `Sec-WebSocket-Version`.
    public static var secWebSocketVersion: HeaderName { HeaderName(HTTPField.Name.secWebSocketVersion) }
    /// `Server`.
    public static var server: HeaderName { HeaderName(HTTPField.Name.server) }
    /// `Set-Cookie`.
    public static var setCookie: HeaderName { HeaderName(HTTPField.Name.setCookie) }
    /// `Strict-Transport-Security`.
    public static var strictTransportSecurity: HeaderName { HeaderName(HTTPField.Name.strictTransportSecurity) }
    /// `TE`.
    public static var te: HeaderName { HeaderName(HTTPField.Name.te) }
    /// `Traceparent`.
    public static var traceparent: HeaderName { HeaderName(HTTPField.Name.traceparent) }
    /// `Tracestate`.
    public static var tracestate: HeaderName { HeaderName(HTTPField.Name.tracestate) }
    /// `Trailer`.
    public static var trailer: HeaderName { HeaderName(HTTPField.Name.trailer) }
    /// `Transfer-Encoding`.
    public static var transferEncoding: HeaderName { HeaderName(HTTPField.Name.transferEncoding) }
    /// `Upgrade`.
    public static var upgrade: HeaderName { HeaderName(HTTPField.Name.upgrade) }
    /// `Use-As-Dictionary`.
    public static var useAsDictionary: HeaderName { HeaderName(HTTPField.Name.useAsDictionary) }
    /// `User-Agent`.
    public static var userAgent: HeaderName { HeaderName(HTTPField.Name.userAgent) }
    /// `Vary`.
    public static var vary: HeaderName { HeaderName(HTTPField.Name.vary) }
    /// `Via`.
    public static var via: HeaderName { HeaderName(HTTPField.Name.via) }
    /// `WWW-Authenticate`.
    public static var wwwAuthenticate: HeaderName { HeaderName(HTTPField.Name.wwwAuthenticate) }
    /// `X-Content-Type-Options`.
    public static var xContentTypeOptions: HeaderName { HeaderName(HTTPField.Name.xContentTypeOptions) }
}
