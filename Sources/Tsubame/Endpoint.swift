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

    var method: HTTPRequest.Method { get }
    var path: Path { get }
    var query: Parameters { get }
    var headers: HTTPFields { get }
    var body: Body { get }
    var timeouts: Timeouts { get }
    var cachePolicy: CachePolicy { get }
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
    public var method: HTTPRequest.Method { .get }
    public var query: Parameters { [:] }
    public var headers: HTTPFields { [:] }
    public var body: Body { .empty }
    public var timeouts: Timeouts { Timeouts() }
    public var cachePolicy: CachePolicy { .standard }
    public var acceptedStatuses: StatusSet { .successful }

    public func decodeFailure(_ response: Response) -> Failure? { nil }
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
    public func decode(_ response: Response) throws -> Value {
        try response.decodeJSON(Value.self)
    }
}

extension Endpoint where Value == Void {
    public func decode(_ response: Response) throws {}
}

extension Endpoint where Value == Response {
    public func decode(_ response: Response) throws -> Response { response }
}

extension Endpoint where Failure: Decodable {
    public func decodeFailure(_ response: Response) -> Failure? {
        try? response.decodeJSON(Failure.self)
    }
}

/// An endpoint to subclass, for APIs whose calls share a base class. Every member is declared here, so that overriding
/// one is seen by everybody.
open class EndpointClass<Value>: Endpoint {
    public typealias Failure = NoFailure

    public init() {}

    open var method: HTTPRequest.Method { .get }
    open var path: Path { "" }
    open var query: Parameters { [:] }
    open var headers: HTTPFields { [:] }
    open var body: Body { .empty }
    open var timeouts: Timeouts { Timeouts() }
    open var cachePolicy: CachePolicy { .standard }
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

    open func decodeFailure(_ response: Response) -> NoFailure? { nil }
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
