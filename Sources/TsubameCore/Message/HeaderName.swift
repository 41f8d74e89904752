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

// The registered names, as HTTPTypes has them.
extension HeaderName {
    /// The field name `HTTPField.Name.accept`.
    public static var accept: HeaderName { HeaderName(HTTPField.Name.accept) }
    /// The field name `HTTPField.Name.acceptEncoding`.
    public static var acceptEncoding: HeaderName { HeaderName(HTTPField.Name.acceptEncoding) }
    /// The field name `HTTPField.Name.acceptLanguage`.
    public static var acceptLanguage: HeaderName { HeaderName(HTTPField.Name.acceptLanguage) }
    /// The field name `HTTPField.Name.acceptRanges`.
    public static var acceptRanges: HeaderName { HeaderName(HTTPField.Name.acceptRanges) }
    /// The field name `HTTPField.Name.accessControlAllowCredentials`.
    public static var accessControlAllowCredentials: HeaderName {
        HeaderName(HTTPField.Name.accessControlAllowCredentials)
    }
    /// The field name `HTTPField.Name.accessControlAllowHeaders`.
    public static var accessControlAllowHeaders: HeaderName { HeaderName(HTTPField.Name.accessControlAllowHeaders) }
    /// The field name `HTTPField.Name.accessControlAllowMethods`.
    public static var accessControlAllowMethods: HeaderName { HeaderName(HTTPField.Name.accessControlAllowMethods) }
    /// The field name `HTTPField.Name.accessControlAllowOrigin`.
    public static var accessControlAllowOrigin: HeaderName { HeaderName(HTTPField.Name.accessControlAllowOrigin) }
    /// The field name `HTTPField.Name.accessControlExposeHeaders`.
    public static var accessControlExposeHeaders: HeaderName { HeaderName(HTTPField.Name.accessControlExposeHeaders) }
    /// The field name `HTTPField.Name.accessControlMaxAge`.
    public static var accessControlMaxAge: HeaderName { HeaderName(HTTPField.Name.accessControlMaxAge) }
    /// The field name `HTTPField.Name.accessControlRequestHeaders`.
    public static var accessControlRequestHeaders: HeaderName { HeaderName(HTTPField.Name.accessControlRequestHeaders) }
    /// The field name `HTTPField.Name.accessControlRequestMethod`.
    public static var accessControlRequestMethod: HeaderName { HeaderName(HTTPField.Name.accessControlRequestMethod) }
    /// The field name `HTTPField.Name.age`.
    public static var age: HeaderName { HeaderName(HTTPField.Name.age) }
    /// The field name `HTTPField.Name.allow`.
    public static var allow: HeaderName { HeaderName(HTTPField.Name.allow) }
    /// The field name `HTTPField.Name.authenticationInfo`.
    public static var authenticationInfo: HeaderName { HeaderName(HTTPField.Name.authenticationInfo) }
    /// The field name `HTTPField.Name.authorization`.
    public static var authorization: HeaderName { HeaderName(HTTPField.Name.authorization) }
    /// The field name `HTTPField.Name.availableDictionary`.
    public static var availableDictionary: HeaderName { HeaderName(HTTPField.Name.availableDictionary) }
    /// The field name `HTTPField.Name.cacheControl`.
    public static var cacheControl: HeaderName { HeaderName(HTTPField.Name.cacheControl) }
    /// The field name `HTTPField.Name.connection`.
    public static var connection: HeaderName { HeaderName(HTTPField.Name.connection) }
    /// The field name `HTTPField.Name.contentDisposition`.
    public static var contentDisposition: HeaderName { HeaderName(HTTPField.Name.contentDisposition) }
    /// The field name `HTTPField.Name.contentEncoding`.
    public static var contentEncoding: HeaderName { HeaderName(HTTPField.Name.contentEncoding) }
    /// The field name `HTTPField.Name.contentLanguage`.
    public static var contentLanguage: HeaderName { HeaderName(HTTPField.Name.contentLanguage) }
    /// The field name `HTTPField.Name.contentLength`.
    public static var contentLength: HeaderName { HeaderName(HTTPField.Name.contentLength) }
    /// The field name `HTTPField.Name.contentLocation`.
    public static var contentLocation: HeaderName { HeaderName(HTTPField.Name.contentLocation) }
    /// The field name `HTTPField.Name.contentRange`.
    public static var contentRange: HeaderName { HeaderName(HTTPField.Name.contentRange) }
    /// The field name `HTTPField.Name.contentSecurityPolicy`.
    public static var contentSecurityPolicy: HeaderName { HeaderName(HTTPField.Name.contentSecurityPolicy) }
    /// The field name `HTTPField.Name.contentSecurityPolicyReportOnly`.
    public static var contentSecurityPolicyReportOnly: HeaderName {
        HeaderName(HTTPField.Name.contentSecurityPolicyReportOnly)
    }
    /// The field name `HTTPField.Name.contentType`.
    public static var contentType: HeaderName { HeaderName(HTTPField.Name.contentType) }
    /// The field name `HTTPField.Name.cookie`.
    public static var cookie: HeaderName { HeaderName(HTTPField.Name.cookie) }
    /// The field name `HTTPField.Name.crossOriginResourcePolicy`.
    public static var crossOriginResourcePolicy: HeaderName { HeaderName(HTTPField.Name.crossOriginResourcePolicy) }
    /// The field name `HTTPField.Name.date`.
    public static var date: HeaderName { HeaderName(HTTPField.Name.date) }
    /// The field name `HTTPField.Name.dictionaryID`.
    public static var dictionaryID: HeaderName { HeaderName(HTTPField.Name.dictionaryID) }
    /// The field name `HTTPField.Name.earlyData`.
    public static var earlyData: HeaderName { HeaderName(HTTPField.Name.earlyData) }
    /// The field name `HTTPField.Name.eTag`.
    public static var eTag: HeaderName { HeaderName(HTTPField.Name.eTag) }
    /// The field name `HTTPField.Name.expect`.
    public static var expect: HeaderName { HeaderName(HTTPField.Name.expect) }
    /// The field name `HTTPField.Name.expires`.
    public static var expires: HeaderName { HeaderName(HTTPField.Name.expires) }
    /// The field name `HTTPField.Name.from`.
    public static var from: HeaderName { HeaderName(HTTPField.Name.from) }
    /// The field name `HTTPField.Name.host`.
    public static var host: HeaderName { HeaderName(HTTPField.Name.host) }
    /// The field name `HTTPField.Name.ifMatch`.
    public static var ifMatch: HeaderName { HeaderName(HTTPField.Name.ifMatch) }
    /// The field name `HTTPField.Name.ifModifiedSince`.
    public static var ifModifiedSince: HeaderName { HeaderName(HTTPField.Name.ifModifiedSince) }
    /// The field name `HTTPField.Name.ifNoneMatch`.
    public static var ifNoneMatch: HeaderName { HeaderName(HTTPField.Name.ifNoneMatch) }
    /// The field name `HTTPField.Name.ifRange`.
    public static var ifRange: HeaderName { HeaderName(HTTPField.Name.ifRange) }
    /// The field name `HTTPField.Name.ifUnmodifiedSince`.
    public static var ifUnmodifiedSince: HeaderName { HeaderName(HTTPField.Name.ifUnmodifiedSince) }
    /// The field name `HTTPField.Name.lastModified`.
    public static var lastModified: HeaderName { HeaderName(HTTPField.Name.lastModified) }
    /// The field name `HTTPField.Name.location`.
    public static var location: HeaderName { HeaderName(HTTPField.Name.location) }
    /// The field name `HTTPField.Name.maxForwards`.
    public static var maxForwards: HeaderName { HeaderName(HTTPField.Name.maxForwards) }
    /// The field name `HTTPField.Name.origin`.
    public static var origin: HeaderName { HeaderName(HTTPField.Name.origin) }
    /// The field name `HTTPField.Name.priority`.
    public static var priority: HeaderName { HeaderName(HTTPField.Name.priority) }
    /// The field name `HTTPField.Name.proxyAuthenticate`.
    public static var proxyAuthenticate: HeaderName { HeaderName(HTTPField.Name.proxyAuthenticate) }
    /// The field name `HTTPField.Name.proxyAuthenticationInfo`.
    public static var proxyAuthenticationInfo: HeaderName { HeaderName(HTTPField.Name.proxyAuthenticationInfo) }
    /// The field name `HTTPField.Name.proxyAuthorization`.
    public static var proxyAuthorization: HeaderName { HeaderName(HTTPField.Name.proxyAuthorization) }
    /// The field name `HTTPField.Name.proxyStatus`.
    public static var proxyStatus: HeaderName { HeaderName(HTTPField.Name.proxyStatus) }
    /// The field name `HTTPField.Name.range`.
    public static var range: HeaderName { HeaderName(HTTPField.Name.range) }
    /// The field name `HTTPField.Name.referer`.
    public static var referer: HeaderName { HeaderName(HTTPField.Name.referer) }
    /// The field name `HTTPField.Name.retryAfter`.
    public static var retryAfter: HeaderName { HeaderName(HTTPField.Name.retryAfter) }
    /// The field name `HTTPField.Name.secPurpose`.
    public static var secPurpose: HeaderName { HeaderName(HTTPField.Name.secPurpose) }
    /// The field name `HTTPField.Name.secWebSocketAccept`.
    public static var secWebSocketAccept: HeaderName { HeaderName(HTTPField.Name.secWebSocketAccept) }
    /// The field name `HTTPField.Name.secWebSocketExtensions`.
    public static var secWebSocketExtensions: HeaderName { HeaderName(HTTPField.Name.secWebSocketExtensions) }
    /// The field name `HTTPField.Name.secWebSocketKey`.
    public static var secWebSocketKey: HeaderName { HeaderName(HTTPField.Name.secWebSocketKey) }
    /// The field name `HTTPField.Name.secWebSocketProtocol`.
    public static var secWebSocketProtocol: HeaderName { HeaderName(HTTPField.Name.secWebSocketProtocol) }
    /// The field name `HTTPField.Name.secWebSocketVersion`.
    public static var secWebSocketVersion: HeaderName { HeaderName(HTTPField.Name.secWebSocketVersion) }
    /// The field name `HTTPField.Name.server`.
    public static var server: HeaderName { HeaderName(HTTPField.Name.server) }
    /// The field name `HTTPField.Name.setCookie`.
    public static var setCookie: HeaderName { HeaderName(HTTPField.Name.setCookie) }
    /// The field name `HTTPField.Name.strictTransportSecurity`.
    public static var strictTransportSecurity: HeaderName { HeaderName(HTTPField.Name.strictTransportSecurity) }
    /// The field name `HTTPField.Name.te`.
    public static var te: HeaderName { HeaderName(HTTPField.Name.te) }
    /// The field name `HTTPField.Name.traceparent`.
    public static var traceparent: HeaderName { HeaderName(HTTPField.Name.traceparent) }
    /// The field name `HTTPField.Name.tracestate`.
    public static var tracestate: HeaderName { HeaderName(HTTPField.Name.tracestate) }
    /// The field name `HTTPField.Name.trailer`.
    public static var trailer: HeaderName { HeaderName(HTTPField.Name.trailer) }
    /// The field name `HTTPField.Name.transferEncoding`.
    public static var transferEncoding: HeaderName { HeaderName(HTTPField.Name.transferEncoding) }
    /// The field name `HTTPField.Name.upgrade`.
    public static var upgrade: HeaderName { HeaderName(HTTPField.Name.upgrade) }
    /// The field name `HTTPField.Name.useAsDictionary`.
    public static var useAsDictionary: HeaderName { HeaderName(HTTPField.Name.useAsDictionary) }
    /// The field name `HTTPField.Name.userAgent`.
    public static var userAgent: HeaderName { HeaderName(HTTPField.Name.userAgent) }
    /// The field name `HTTPField.Name.vary`.
    public static var vary: HeaderName { HeaderName(HTTPField.Name.vary) }
    /// The field name `HTTPField.Name.via`.
    public static var via: HeaderName { HeaderName(HTTPField.Name.via) }
    /// The field name `HTTPField.Name.wwwAuthenticate`.
    public static var wwwAuthenticate: HeaderName { HeaderName(HTTPField.Name.wwwAuthenticate) }
    /// The field name `HTTPField.Name.xContentTypeOptions`.
    public static var xContentTypeOptions: HeaderName { HeaderName(HTTPField.Name.xContentTypeOptions) }
}
