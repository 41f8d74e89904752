// Request: an HTTP request as a value, which can be sent in any way, any number of times, at once.

public import HTTPTypes

/// An HTTP request. It is a value: build it once, and send it in any way, any number of times.
/// ```swift
/// var request = Request(.get, "users/\(id)", query: ["page": 2])
/// request.headers[.accept] = "application/json"
/// request.timeouts.total = .seconds(5)
/// let response = try await api.send(request)
/// ```
/// A request with an invalid part can be made but not sent. Every way to send it throws
/// ``CallError/Kind/invalidRequest`` before anything is sent.
public struct Request: Sendable {
    /// A path below the client's base URL, or a whole URL.
    package enum Target: Sendable {
        case uri(TargetURI)
        indirect case path(RequestPath, query: String)
        indirect case invalid(CallError)
    }

    /// The method, such as GET or POST.
    public var method: HTTPRequest.Method
    package var target: Target
    /// The fields of this request. The client adds its own fields, except those that are named here.
    public var headers: RequestHeaders
    /// The content that is sent with the request; empty by default.
    public var body: RequestBody
    /// Whether the client, rather than the caller, asked for content codings, so that the client has to decode them.
    package var undoesCodings = false
    @usableFromInline var details: RequestDetails?

    /// A request for a path below the client's base URL.
    /// - Parameter encodedQuery: the query, already percent-encoded, without `?`.
    package init(
        _ method: HTTPRequest.Method, _ path: RequestPath, encodedQuery: String, headers: RequestHeaders,
        body: RequestBody
    ) {
        self.method = method
        self.headers = headers
        self.body = body
        if let problem = path.problem {
            target = .invalid(
                CallError(.invalidRequest, "the path \"\(Redaction.standard.url(path.encoded))\" \(problem)"))
        } else if path.isWholeURL {
            target = Self.target(path.encoded, keepingDotSegments: false, encodedQuery: encodedQuery)
        } else {
            target = .path(path, query: encodedQuery)
        }
    }

    /// A request for a whole URL.
    package init(
        _ method: HTTPRequest.Method, url: String, keepingDotSegments: Bool = false, encodedQuery: String,
        headers: RequestHeaders, body: RequestBody
    ) {
        self.method = method
        self.headers = headers
        self.body = body
        target = Self.target(url, keepingDotSegments: keepingDotSegments, encodedQuery: encodedQuery)
    }

    private static func target(_ url: String, keepingDotSegments: Bool, encodedQuery: String) -> Target {
        do throws(CallError) {
            let uri = try TargetURI(parsing: url, keepingDotSegments: keepingDotSegments)
            return .uri(encodedQuery.isEmpty ? uri : uri.adding(query: encodedQuery))
        } catch {
            return .invalid(error)
        }
    }

    /// A request for a URI that has been parsed before.
    public init(_ method: HTTPRequest.Method, uri: TargetURI, headers: RequestHeaders = [:], body: RequestBody = .empty)
    {
        self.method = method
        self.headers = headers
        self.body = body
        target = .uri(uri)
    }

    /// The absolute URI; nil until a client has added its base URL to the path.
    public var uri: TargetURI? {
        if case .uri(let uri) = target { uri } else { nil }
    }

    /// Whether the request goes by https. This does not copy the URI.
    package var isSecure: Bool {
        if case .uri(let uri) = target { uri.isSecure } else { false }
    }

    /// Whether no rare setting has ever been changed. Asking this first saves most requests the questions about each.
    @inlinable package var isPlain: Bool { details == nil }

    private mutating func change(_ body: (RequestDetails) -> Void) {
        if details == nil {
            details = RequestDetails()
        } else if !isKnownUniquelyReferenced(&details) {
            details = details?.copy()
        }
        if let details { body(details) }
    }

    /// The timeouts of this request. A timeout that is not set is the client's.
    public var timeouts: Timeouts {
        get { details?.settings.timeouts ?? Timeouts() }
        set { change { $0.settings.timeouts = newValue } }
    }

    /// The policy for the client's cache and for other caches on the way to the origin.
    public var cachePolicy: CachePolicy {
        get { details?.settings.cachePolicy ?? .standard }
        set { change { $0.settings.cachePolicy = newValue } }
    }

    /// The statuses with which a value can be read from the response; 200–299 by default.
    public var acceptedStatuses: StatusSet {
        get { details?.settings.acceptedStatuses ?? .successful }
        set { change { $0.settings.acceptedStatuses = newValue } }
    }

    /// Whether a call fails with ``CallError/Kind/status`` if it ends with a status that is not accepted; false by
    /// default. Every way to send then throws the error, or reports it as the failure.
    public var requiresAcceptedStatus: Bool {
        get { details?.settings.requiresAcceptedStatus ?? false }
        set { change { $0.settings.requiresAcceptedStatus = newValue } }
    }

    /// Whether a value that was put into the path contains a slash, which was escaped. The reason for a 404 may be there.
    package var escapesSlash: Bool {
        get {
            if case .path(let path, _) = target { return path.escapesSlash }
            return details?.marks.escapesSlash ?? false
        }
        set { if newValue { change { $0.marks.escapesSlash = true } } }
    }

    /// The changes of the client's settings for this request alone. Only the client looks inside.
    package var overrides: (any Sendable)? {
        get { details?.marks.overrides }
        set { change { $0.marks.overrides = newValue } }
    }

    package var hasOverrides: Bool { details?.marks.overrides != nil }

    /// Values of the caller's own, to be found again in interceptors and events.
    public var tags: [String: any Sendable] {
        get { details?.settings.tags ?? [:] }
        set { change { $0.settings.tags = newValue } }
    }

    /// Whether the request may be sent again on a new connection although its method is not idempotent; false by
    /// default.
    public var isReplayable: Bool {
        get { details?.settings.isReplayable ?? false }
        set { change { $0.settings.isReplayable = newValue } }
    }

    /// The order of calls that wait for each other because of a limit (`traffic.calls`, `traffic.callsPerHost`).
    public enum Priority: Int, Sendable, Hashable, CaseIterable {
        /// After all other calls.
        case low = -1
        /// In the order of arrival.
        case normal
        /// Before all other calls.
        case high
    }

    /// The place of the call among calls that wait because of a limit; `normal` by default.
    public var priority: Priority {
        get { details?.settings.priority ?? .normal }
        set { change { $0.settings.priority = newValue } }
    }

    /// Whether the request asks about the server as a whole, rather than about a resource: `OPTIONS *` (RFC 9110
    /// section 9.3.7). The URL then only names the server, and its path is not sent. With any method other than
    /// OPTIONS, the call fails with ``CallError/Kind/invalidRequest``.
    public var asksServer: Bool {
        get { details?.settings.asksServer ?? false }
        set { change { $0.settings.asksServer = newValue } }
    }

    /// Whether the request goes to an origin other than the client's own. It then carries none of the client's fields,
    /// credentials and common parameters. The client sets this value, which stays set over all later redirects.
    public package(set) var isCrossOrigin: Bool {
        get { details?.marks.isCrossOrigin ?? false }
        set { change { $0.marks.isCrossOrigin = newValue } }
    }

    /// The request as an interceptor changed it; nil if no interceptor did. A redirect to another origin then starts
    /// from this request.
    package var entry: Request? {
        get { details?.marks.entry?.request }
        set { change { $0.marks.entry = newValue.map { RequestEntry($0) } } }
    }

    /// The canonical names of fields that describe the content, beside those that begin with `content-`.
    package var contentFields: Set<String> {
        get { details?.marks.contentFields ?? [] }
        set { change { $0.marks.contentFields = newValue } }
    }

    /// Removes the content and all fields that describe it, registered or not. Without content nothing is expected
    /// (RFC 9110 section 10.1.1).
    package mutating func removeContent() {
        let names = contentFields
        body = .empty
        headers.removeAll { field in
            let name = field.name.canonicalName
            return name.hasPrefix("content-") || name == "expect" || names.contains(name)
        }
    }

    /// How often the client added credentials because the server had asked for them.
    package var answeredChallenges: Int {
        get { details?.marks.answeredChallenges ?? 0 }
        set { change { $0.marks.answeredChallenges = newValue } }
    }

    /// The owner of the client's cookie jar, if the last Cookie field came from that jar. It is nil if the field was
    /// set by hand, or if there is none.
    package var jarOwner: String? {
        get { details?.marks.jarOwner }
        set { if newValue != details?.marks.jarOwner { change { $0.marks.jarOwner = newValue } } }
    }

    /// The rules for what the texts of the request withhold.
    package var redaction: Redaction {
        get { ownRedaction ?? .standard }
        set { change { $0.marks.redaction = newValue } }
    }

    /// The rules for what the texts of the request withhold; nil if they are the standard ones.
    package var ownRedaction: Redaction? { details?.marks.redaction }

    /// Whether the request may be sent again. Its method must be idempotent (RFC 9110 section 9.2.2), or the caller
    /// must allow it. In both cases the body must not be a one-shot stream.
    package var mayBeReplayed: Bool {
        (method.isIdempotent || isReplayable || headers.contains(.idempotencyKey)) && body.canBeSentAgain
    }

    /// Throws if the method cannot be sent, or if only OPTIONS could be sent to the server as a whole.
    package func checkMethod() throws(CallError) {
        if method == .connect {
            throw CallError(.unsupported, "CONNECT is not a method to be sent by hand", request: self)
        }
        if asksServer, method != .options {
            throw CallError(
                .invalidRequest, "only OPTIONS asks the server as a whole", advice: "unset asksServer", request: self)
        }
    }

    /// The method and the URL, such as `GET https://…`, with secrets withheld.
    public var summary: String {
        switch target {
        case .uri(let uri): "\(method.rawValue) \(redaction.url(uri.string))"
        case .path(let path, let query):
            "\(method.rawValue) \(redaction.url(path.encoded + (query.isEmpty ? "" : "?" + query)))"
        case .invalid: "\(method.rawValue) request"
        }
    }
}

/// The parts that most requests do not have. They are outside the value, so that copying a request stays cheap.
// Only `Request.change` changes an object, and only one with a single reference.
@usableFromInline
final class RequestDetails: @unchecked Sendable {
    var settings = RequestSettings()
    var marks = RequestMarks()

    func copy() -> RequestDetails {
        let copy = RequestDetails()
        copy.settings = settings
        copy.marks = marks
        return copy
    }
}

/// The caller's settings that most requests do not change.
struct RequestSettings: Sendable {
    var timeouts = Timeouts()
    var cachePolicy = CachePolicy.standard
    var acceptedStatuses = StatusSet.successful
    var requiresAcceptedStatus = false
    var tags: [String: any Sendable] = [:]
    var isReplayable = false
    var priority = Request.Priority.normal
    var asksServer = false
}

/// The client's own notes about a request.
struct RequestMarks: Sendable {
    var escapesSlash = false
    var overrides: (any Sendable)?
    var isCrossOrigin = false
    fileprivate var entry: RequestEntry?
    var contentFields: Set<String> = []
    var answeredChallenges = 0
    var redaction: Redaction?
    var jarOwner: String?
}

private final class RequestEntry: Sendable {
    let request: Request

    init(_ request: Request) { self.request = request }
}

extension HTTPRequest.Method {
    /// Whether the method is safe (RFC 9110 section 9.2.1, and RFC 10008 for QUERY).
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        default: false
        }
    }

    /// Whether the method is idempotent (RFC 9110 section 9.2.2).
    package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// Whether a request without a body sends `Content-Length: 0` (RFC 9110 section 8.6).
    package var expectsBody: Bool {
        switch self {
        case .get: false
        case .post, .put, .patch, .query: true
        default: false
        }
    }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, URI and fields, with credentials withheld.
    public var description: String {
        let fields = headers.map { "\($0.name.rawName): \(Redaction.printable(redaction.value(of: $0)))" }
        return ([summary] + fields).joined(separator: "\n")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["request": description], displayStyle: .struct) }
}
