// Endpoint: an API call as a type.

public import HTTPTypes
public import TsubameCore
public import TsubameWire

/// One call of an API as a type: what is sent, and what comes back.
///
/// ```swift
/// struct User: Endpoint {
///     var path: Path { "users/\(id)" }
///     typealias Value = Profile          // decoded from JSON unless `decode` says otherwise
///     let id: Int
/// }
/// let profile = try await api.send(User(id: 7))
/// ```
public protocol Endpoint<Value> {
    /// What a successful response decodes to.
    associatedtype Value
    /// What the body of an error response decodes to, carried by the error; ``NoFailure`` for nothing.
    associatedtype Failure: Sendable = NoFailure

    /// GET unless said otherwise.
    var method: HTTPRequest.Method { get }
    /// Below the client's base URL.
    var path: Path { get }
    /// What follows the `?`; nothing unless said otherwise.
    var query: Parameters { get }
    /// Fields of this call's own; the client's are added.
    var headers: HTTPFields { get }
    /// What is sent; nothing unless said otherwise.
    var body: Body { get }
    /// Deadlines of this call's own; what is not set is the client's.
    var timeouts: Timeouts { get }
    /// What a cache on the way may do; as RFC 9111 says unless said otherwise.
    var cachePolicy: CachePolicy { get }
    /// The statuses of which there is a value; 200–299 unless said otherwise.
    var acceptedStatuses: StatusSet { get }

    /// The value of an accepted response.
    func decode(_ response: Response) throws -> Value
    /// The failure described by a response that is not accepted; nil if it describes none.
    func decodeFailure(_ response: Response) -> Failure?
    /// Called once with the response when the exchange is over, before anything is decoded.
    func afterResponse(_ response: Response)
}

/// The failure of an endpoint whose error bodies are not decoded.
public enum NoFailure: Sendable {}

extension Endpoint {
    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var query: Parameters { [:] }
    /// None.
    public var headers: HTTPFields { [:] }
    /// None.
    public var body: Body { .empty }
    /// The client's.
    public var timeouts: Timeouts { Timeouts() }
    /// As RFC 9111 says.
    public var cachePolicy: CachePolicy { .standard }
    /// 200–299.
    public var acceptedStatuses: StatusSet { .successful }

    /// Nothing is decoded.
    public func decodeFailure(_ response: Response) -> Failure? { nil }
    /// Does nothing.
    public func afterResponse(_ response: Response) {}

    /// The request that this endpoint sends.
    public var request: Request {
        var request = Request(method, path, query: query, headers: headers, body: body)
        if !timeouts.isUnset { request.timeouts = timeouts }
        if cachePolicy != .standard { request.cachePolicy = cachePolicy }
        if acceptedStatuses != .successful { request.acceptedStatuses = acceptedStatuses }
        return request
    }

    /// From the whole response to the value, for who sent ``request`` himself, as to a delegate.
    /// - Throws: ``CallError``, as `Client.send` of the endpoint does.
    public func value(of response: Response) throws(CallError) -> Value {
        afterResponse(response)
        guard response.isAccepted else {
            throw response.statusError(failure: decodeFailure(response))
        }
        do {
            return try decode(response)
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
    /// The body as JSON, read as ``Configuration/json`` says.
    public func decode(_ response: Response) throws -> Value {
        try response.decodeJSON(Value.self)
    }
}

extension Endpoint where Value == Void {
    /// Nothing is read: the status alone counts.
    public func decode(_ response: Response) throws {}
}

extension Endpoint where Value == Response {
    /// The response itself.
    public func decode(_ response: Response) throws -> Response { response }
}

extension Endpoint where Failure: Decodable {
    /// The body as JSON; nil if it is none of `Failure`.
    public func decodeFailure(_ response: Response) -> Failure? {
        try? response.decodeJSON(Failure.self)
    }
}

/// An endpoint to subclass, for APIs whose calls share a base class. Every member is declared here, so that overriding
/// one is seen by everybody.
open class EndpointClass<Value>: Endpoint {
    /// Error bodies are not decoded: ``CallError/response`` has them.
    public typealias Failure = NoFailure

    /// For subclasses.
    public init() {}

    /// GET unless overridden.
    open var method: HTTPRequest.Method { .get }
    /// The client's base URL itself unless overridden.
    open var path: Path { "" }
    /// None unless overridden.
    open var query: Parameters { [:] }
    /// None of its own unless overridden.
    open var headers: HTTPFields { [:] }
    /// None unless overridden.
    open var body: Body { .empty }
    /// The client's unless overridden.
    open var timeouts: Timeouts { Timeouts() }
    /// As RFC 9111 says unless overridden.
    open var cachePolicy: CachePolicy { .standard }
    /// 200–299 unless overridden.
    open var acceptedStatuses: StatusSet { .successful }

    /// JSON, if `Value` is `Decodable`; for any other value it is to be overridden.
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

    /// Never anything: there is no failure to decode.
    open func decodeFailure(_ response: Response) -> NoFailure? { nil }
    /// Does nothing unless overridden.
    open func afterResponse(_ response: Response) {}
}

extension Client {
    /// Sends the endpoint's request and decodes its value.
    /// - Throws: ``CallError``; for a status that is not accepted of kind `status`, with the endpoint's `Failure` as
    ///   ``CallError/failure``.
    @concurrent
    public func send<E: Endpoint>(_ endpoint: sending E) async throws(CallError) -> sending E.Value {
        // The endpoint need not be Sendable: it is handed over whole, and decodes here, off the caller's actor.
        let response = try await sendHere(endpoint.request)
        return try endpoint.value(of: response)
    }
}
