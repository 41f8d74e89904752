// Request: what is sent. A value; build it once, send it in any way, any number of times, at once.

public import HTTPTypes

/// An HTTP request.
///
/// ```swift
/// var request = Request(.get, "users/\(id)", query: ["page": 2])
/// request.headers[.accept] = "application/json"
/// request.timeouts.total = .seconds(5)
/// let response = try await api.send(request)
/// ```
/// What is invalid in it is kept, and thrown as ``CallError/Kind/invalidRequest`` by every way to send, before anything
/// is sent.
public struct Request: Sendable {
    /// A path below the client's base URL, or a whole URL.
    package enum Target: Sendable {
        case uri(TargetURI)
        indirect case path(Path, query: String)
        indirect case invalid(CallError)
    }

    /// GET, POST, …
    public var method: HTTPRequest.Method
    package var target: Target
    /// The fields of this request; those of the client are added where these do not name them.
    public var headers: HTTPFields
    /// What it carries.
    public var body: Body
    /// Whether the client, rather than the caller, asked for coded content, and so is to undo the codings.
    package var undoesCodings = false
    private var options: RequestOptions?

    /// A request for a path below the client's base URL.
    /// - Parameter encodedQuery: already percent-encoded, without `?`.
    package init(
        _ method: HTTPRequest.Method, _ path: Path, encodedQuery: String, headers: HTTPFields, body: Body
    ) {
        self.method = method
        self.headers = headers
        self.body = body
        if let problem = path.problem {
            target = .invalid(
                CallError(.invalidRequest, "the path \"\(Redaction.standard.url(path.encoded))\" \(problem)"))
        } else {
            target = .path(path, query: encodedQuery)
        }
    }

    /// A request for a whole URL.
    package init(
        _ method: HTTPRequest.Method, url: String, keepingDotSegments: Bool = false, encodedQuery: String,
        headers: HTTPFields, body: Body
    ) {
        self.method = method
        self.headers = headers
        self.body = body
        do throws(CallError) {
            let uri = try TargetURI(parsing: url, keepingDotSegments: keepingDotSegments)
            target = .uri(encodedQuery.isEmpty ? uri : uri.adding(query: encodedQuery))
        } catch {
            target = .invalid(error)
        }
    }

    /// A request for a URI that has been parsed before.
    public init(_ method: HTTPRequest.Method, uri: TargetURI, headers: HTTPFields = [:], body: Body = .empty) {
        self.method = method
        self.headers = headers
        self.body = body
        target = .uri(uri)
    }

    /// The absolute URI: nil until a client has put a path below its base.
    public var uri: TargetURI? {
        if case .uri(let uri) = target { uri } else { nil }
    }

    /// Whether it goes by https, told without a copy of the URI.
    package var isSecure: Bool {
        if case .uri(let uri) = target { uri.isSecure } else { false }
    }

    private mutating func change(_ body: (RequestOptions) -> Void) {
        if options == nil {
            options = RequestOptions()
        } else if !isKnownUniquelyReferenced(&options) {
            options = options?.copy()
        }
        if let options { body(options) }
    }

    /// Deadlines of this request; what is not set is the client's.
    public var timeouts: Timeouts {
        get { options?.timeouts ?? Timeouts() }
        set { change { $0.timeouts = newValue } }
    }

    /// What a cache on the way may do.
    public var cachePolicy: CachePolicy {
        get { options?.cachePolicy ?? .standard }
        set { change { $0.cachePolicy = newValue } }
    }

    /// The statuses with which a value may be asked of the response; 200–299 unless set.
    public var acceptedStatuses: StatusSet {
        get { options?.acceptedStatuses ?? .successful }
        set { change { $0.acceptedStatuses = newValue } }
    }

    /// Whatever the caller wants to find again in interceptors and events.
    public var tags: [String: any Sendable] {
        get { options?.tags ?? [:] }
        set { change { $0.tags = newValue } }
    }

    /// Whether the request may be sent again on a new connection although its method is not idempotent.
    public var isReplayable: Bool {
        get { options?.isReplayable ?? false }
        set { change { $0.isReplayable = newValue } }
    }

    /// Who goes first where calls wait for each other (`traffic.calls`, `traffic.callsPerHost`).
    public enum Priority: Int, Sendable, Hashable, CaseIterable {
        /// After all others.
        case low = -1
        /// In the order in which they came.
        case normal
        /// Before all others.
        case high
    }

    /// Who goes first where calls wait for each other; `normal` unless set.
    public var priority: Priority {
        get { options?.priority ?? .normal }
        set { change { $0.priority = newValue } }
    }

    /// Whether the server as a whole is asked, rather than a resource of it: `OPTIONS *` (RFC 9110 section 9.3.7). The path
    /// of the URL then only says which server. Any other method than OPTIONS is
    /// ``CallError/Kind/invalidRequest``.
    public var asksServer: Bool {
        get { options?.asksServer ?? false }
        set { change { $0.asksServer = newValue } }
    }

    /// Whether the request goes to an origin that is not the client's own: it then carries none of the client's fields,
    /// credentials and common parameters. Set by the client; stays set over all later redirects.
    public package(set) var isForeign: Bool {
        get { options?.isForeign ?? false }
        set { change { $0.isForeign = newValue } }
    }

    /// The request as an around made it, where that is not the one it was given: what a redirect to a foreign origin
    /// starts from then.
    package var entry: Request? {
        get { options?.entry?.request }
        set { change { $0.entry = newValue.map { RequestEntry($0) } } }
    }

    /// Says whether a failure of it is mended by whoever sent it, in another way than by sending it again as it is. nil: never.
    package var isMendedElsewhere: (@Sendable () -> Bool)? {
        get { options?.isMendedElsewhere }
        set { change { $0.isMendedElsewhere = newValue } }
    }

    /// How often credentials were put into it because its server had asked for them.
    package var answeredChallenges: Int {
        get { options?.answeredChallenges ?? 0 }
        set { change { $0.answeredChallenges = newValue } }
    }

    /// The owner of the client's jar if the last Cookie field is of that jar; nil if it was set by hand, or there is none.
    package var jarOwner: String? {
        get { options?.jarOwner }
        set { if newValue != options?.jarOwner { change { $0.jarOwner = newValue } } }
    }

    /// What its texts withhold.
    package var redaction: Redaction {
        get { ownRedaction ?? .standard }
        set { change { $0.redaction = newValue } }
    }

    /// The same, and nil where it is the standard that nobody changed.
    package var ownRedaction: Redaction? { options?.redaction }

    /// Whether the method may be repeated without harm (RFC 9110 section 9.2.2), or the caller says so.
    package var mayBeReplayed: Bool {
        (method.isIdempotent || isReplayable || headers.contains(.idempotencyKey)) && body.canBeSentAgain
    }

    /// `GET https://…`, with secrets withheld.
    public var summary: String {
        switch target {
        case .uri(let uri): "\(method.rawValue) \(redaction.url(uri.string))"
        case .path(let path, let query):
            "\(method.rawValue) \(redaction.url(path.encoded + (query.isEmpty ? "" : "?" + query)))"
        case .invalid: "\(method.rawValue) request"
        }
    }
}

/// What most requests leave as it is, kept out of the value so that copying stays cheap.
// Changed only through `Request.change`, on a copy that nobody else refers to.
private final class RequestOptions: @unchecked Sendable {
    var timeouts = Timeouts()
    var cachePolicy = CachePolicy.standard
    var acceptedStatuses = StatusSet.successful
    var tags: [String: any Sendable] = [:]
    var isReplayable = false
    var asksServer = false
    var priority = Request.Priority.normal
    var isForeign = false
    var entry: RequestEntry?
    var isMendedElsewhere: (@Sendable () -> Bool)?
    var answeredChallenges = 0
    var redaction: Redaction?
    var jarOwner: String?

    func copy() -> RequestOptions {
        let copy = RequestOptions()
        copy.timeouts = timeouts
        copy.cachePolicy = cachePolicy
        copy.acceptedStatuses = acceptedStatuses
        copy.tags = tags
        copy.isReplayable = isReplayable
        copy.asksServer = asksServer
        copy.priority = priority
        copy.isForeign = isForeign
        copy.entry = entry
        copy.isMendedElsewhere = isMendedElsewhere
        copy.answeredChallenges = answeredChallenges
        copy.redaction = redaction
        copy.jarOwner = jarOwner
        return copy
    }
}

private final class RequestEntry: Sendable {
    let request: Request

    init(_ request: Request) { self.request = request }
}

/// What the client's cache may do with a request, and caches on the way.
///
/// No policy gets around what a response forbids: one with `no-cache` or, once it is stale, `must-revalidate` is never used
/// without asking its origin (RFC 9111 sections 5.2.2.2 and 5.2.2.4).
public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
    /// As RFC 9111 says.
    case standard
    /// Ask the origin again, whatever is stored: `Cache-Control: no-cache`.
    case reload
    /// Take what is stored, however old, and ask the origin if there is nothing: `Cache-Control: max-stale`.
    case preferStored
    /// Take what is stored, however old, and never ask the origin: `Cache-Control: only-if-cached`. Status 504 if there
    /// is nothing.
    case onlyStored

    /// The name that `URLRequest.CachePolicy` has for ``standard``.
    public static var useProtocolCachePolicy: CachePolicy { .standard }
    /// The name that `URLRequest.CachePolicy` has for ``reload``.
    public static var reloadIgnoringLocalCacheData: CachePolicy { .reload }
    /// The name that `URLRequest.CachePolicy` has for ``preferStored``.
    public static var returnCacheDataElseLoad: CachePolicy { .preferStored }
    /// The name that `URLRequest.CachePolicy` has for ``onlyStored``.
    public static var returnCacheDataDontLoad: CachePolicy { .onlyStored }
}

extension HTTPRequest.Method {
    /// Whether the method only asks (RFC 9110 section 9.2.1, and RFC 10008 for QUERY).
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        default: false
        }
    }

    /// RFC 9110 section 9.2.2.
    package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// Whether a request without a body says so by `Content-Length: 0` (RFC 9110 section 8.6).
    package var expectsBody: Bool {
        switch self {
        case .get: false
        case .post, .put, .patch, .query: true
        default: false
        }
    }
}

extension HTTPField.Name {
    package static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .ifMatch
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, URI and fields, with credentials withheld.
    public var description: String {
        ([summary] + headers.map { "\($0.name.rawName): \(redaction.value(of: $0))" }).joined(separator: "\n")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["request": description], displayStyle: .struct) }
}
