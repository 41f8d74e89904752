// Endpoint: one call of an API as a type.

public import HTTPTypes
public import TsubameCore
public import TsubameWire

/// One call of an API as a type: the request to send, and the value of its response.
///
/// ```swift
/// struct User: Endpoint {
///     var path: RequestPath { "users/\(id)" }
///     typealias Value = Profile          // decoded from JSON unless `decode` says otherwise
///     let id: Int
/// }
/// let profile = try await api.send(User(id: 7))
/// ```
public protocol Endpoint<Value> {
    /// The type to which an accepted response decodes.
    associatedtype Value
    /// The type to which the body of an error response decodes. The error carries it. ``NoFailure`` means no
    /// decoding.
    associatedtype Failure: Sendable = NoFailure

    /// The method; GET by default.
    var method: HTTPRequest.Method { get }
    /// The path below the client's base URL, or a whole URL: `.url("https://…")`.
    var path: RequestPath { get }
    /// The query; empty by default.
    var query: Parameters { get }
    /// The headers of this call, to which the client's are added; none by default.
    var headers: RequestHeaders { get }
    /// The body; empty by default.
    var body: RequestBody { get }
    /// The timeouts of this call. The client's apply where none is set.
    var timeouts: Timeouts { get }
    /// How caches may answer this call; by default as RFC 9111 says.
    var cachePolicy: CachePolicy { get }
    /// The statuses whose responses have a value; 200–299 by default.
    var acceptedStatuses: StatusSet { get }

    /// Decodes the value of an accepted response.
    func decode(_ response: Response) throws -> Value
    /// Decodes the failure of a response that is not accepted; nil if the response describes none.
    func decodeFailure(_ response: Response) -> Failure?
    /// Called once with the complete response, before anything is decoded.
    func afterResponse(_ response: Response)
    /// Called once with the value of an accepted response, after it was decoded.
    func didDecode(_ value: Value, from response: Response)
}

/// The failure of an endpoint that does not decode error bodies.
public enum NoFailure: Sendable {}

extension Endpoint {
    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// An empty query.
    public var query: Parameters { [:] }
    /// No headers besides the client's.
    public var headers: RequestHeaders { [:] }
    /// No body.
    public var body: RequestBody { .empty }
    /// The client's timeouts.
    public var timeouts: Timeouts { Timeouts() }
    /// The rules of RFC 9111.
    public var cachePolicy: CachePolicy { .standard }
    /// 200–299.
    public var acceptedStatuses: StatusSet { .successful }

    /// Decodes nothing.
    public func decodeFailure(_ response: Response) -> Failure? { nil }
    /// Does nothing.
    public func afterResponse(_ response: Response) {}
    /// Does nothing.
    public func didDecode(_ value: Value, from response: Response) {}

    /// The request that this endpoint sends.
    public var request: Request {
        var request = Request(method, path, query: query, headers: headers, body: body)
        if !timeouts.isUnset { request.timeouts = timeouts }
        if cachePolicy != .standard { request.cachePolicy = cachePolicy }
        if acceptedStatuses != .successful { request.acceptedStatuses = acceptedStatuses }
        return request
    }

    /// Makes the value of a complete response, for a caller that sent ``request`` in another way, such as with a
    /// delegate.
    /// - Throws: ``CallError``, as `Client.send` of the endpoint does.
    public func value(of response: Response) throws(CallError) -> Value {
        afterResponse(response)
        guard response.isAccepted else {
            throw response.statusError(failure: decodeFailure(response))
        }
        do {
            let value = try decode(response)
            didDecode(value, from: response)
            return value
        } catch let error as CallError {
            throw error
        } catch {
            throw CallError(
                .decoding, "\(Self.self) could not decode the response: \(error)", phase: .decoding, underlying: error,
                request: response.request, response: response)
        }
    }
}

extension Endpoint where Value: Decodable {
    /// Decodes the body as JSON, as ``Configuration/json`` says.
    public func decode(_ response: Response) throws -> Value {
        try response.decodeJSON(Value.self)
    }
}

extension Endpoint where Value == Void {
    /// Reads nothing: only the status counts.
    public func decode(_ response: Response) throws {}
}

extension Endpoint where Value == Response {
    /// Returns the response itself.
    public func decode(_ response: Response) throws -> Response { response }
}

extension Endpoint where Failure: Decodable {
    /// Decodes the body as JSON; nil if that fails.
    public func decodeFailure(_ response: Response) -> Failure? {
        try? response.decodeJSON(Failure.self)
    }
}

/// An endpoint to subclass, for APIs whose calls share a base class. The class declares every member, so that all
/// code calls the overrides.
open class EndpointClass<Value>: Endpoint {
    /// Error bodies are not decoded. ``CallError/response`` has them.
    public typealias Failure = NoFailure

    /// Makes the endpoint; for subclasses.
    public init() {}

    /// The method; GET unless overridden.
    open var method: HTTPRequest.Method { .get }
    /// The path below the client's base URL; empty unless overridden, which means the base URL itself.
    open var path: RequestPath { "" }
    /// The query; empty unless overridden.
    open var query: Parameters { [:] }
    /// The headers of this call, besides the client's; none unless overridden.
    open var headers: RequestHeaders { [:] }
    /// The body; empty unless overridden.
    open var body: RequestBody { .empty }
    /// The timeouts of this call; the client's unless overridden.
    open var timeouts: Timeouts { Timeouts() }
    /// How caches may answer this call; as RFC 9111 says unless overridden.
    open var cachePolicy: CachePolicy { .standard }
    /// The statuses whose responses have a value; 200–299 unless overridden.
    open var acceptedStatuses: StatusSet { .successful }

    /// Decodes JSON if `Value` is `Decodable`. A `Response` or `Void` needs no decoding. Subclasses with another
    /// value must override this.
    /// - Throws: ``CallError/Kind/misuse`` if such a subclass does not override it.
    open func decode(_ response: Response) throws -> Value {
        func decoded<T: Decodable>(as type: T.Type) throws -> Value? {
            try response.decodeJSON(type) as? Value
        }
        if let type = Value.self as? any Decodable.Type, let value = try decoded(as: type) { return value }
        if let response = response as? Value { return response }
        if let nothing = () as? Value { return nothing }
        throw CallError(
            .misuse, "\(type(of: self)) does not override decode(_:), and \(Value.self) is not Decodable",
            phase: .decoding)
    }

    /// Returns nil, because no failure is decoded.
    open func decodeFailure(_ response: Response) -> NoFailure? { nil }
    /// Does nothing unless overridden.
    open func afterResponse(_ response: Response) {}
    /// Does nothing unless overridden.
    open func didDecode(_ value: Value, from response: Response) {}
}
