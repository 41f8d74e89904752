// Client+Endpoints: the ways to send an endpoint and to wait for its value.

public import TsubameCore

extension Client {
    /// Sends the endpoint's request and decodes its value, off the caller's actor.
    ///
    /// The endpoint need not be Sendable. It is handed over whole.
    /// - Throws: ``CallError``. For a status that is not accepted, its kind is `status`, and its
    ///   ``CallError/failure`` is the endpoint's `Failure`.
    @concurrent
    public func send<E: Endpoint>(_ endpoint: sending E) async throws(CallError) -> sending E.Value {
        let response = try await sendHere(endpoint.request)
        return try endpoint.value(of: response)
    }

    /// Sends the request of an endpoint that is an object, such as one that a view controller keeps. Its value is decoded
    /// on the caller's actor.
    /// - Throws: ``CallError``, as the other form does.
    public func send<E: Endpoint & AnyObject>(_ endpoint: E) async throws(CallError) -> E.Value {
        let response = try await sendHere(endpoint.request)
        return try endpoint.value(of: response)
    }

    /// Starts a call of the endpoint whose callbacks run on the main actor. The value is decoded before, elsewhere.
    ///
    /// ```swift
    /// api.start(User(id: 7)) { result in … }      // Result<Profile, CallError>
    /// ```
    /// `then` is called exactly once, after the last `progress`. On Linux the program must serve the main queue (an
    /// async `main`, `dispatchMain()`, or a run loop).
    @_disfavoredOverload @discardableResult
    public func start<E: Endpoint>(
        _ endpoint: sending E, progress: (@MainActor @Sendable (CallProgress) -> Void)? = nil,
        then: @escaping @MainActor @Sendable (Result<E.Value, CallError>) -> Void
    ) -> Call where E.Value: Sendable {
        var onMain: (@Sendable (CallProgress) -> Void)?
        if let progress { onMain = { value in MainActor.assumeIsolated { progress(value) } } }
        return start(endpoint, on: CallbackQueue.main, progress: onMain) { result in
            MainActor.assumeIsolated { then(result) }
        }
    }

    /// Starts a call of the endpoint whose callbacks run on the given queue or executor.
    @discardableResult
    public func start<E: Endpoint>(
        _ endpoint: sending E, on queue: CallbackQueue, progress: (@Sendable (CallProgress) -> Void)? = nil,
        then: @escaping @Sendable (Result<E.Value, CallError>) -> Void
    ) -> Call where E.Value: Sendable {
        var relay: (@Sendable (CallProgress) -> Void)?
        if let progress { relay = { value in queue.run { progress(value) } } }
        let request = endpoint.request
        let sent = SentEndpoint(endpoint)
        return start(request, on: .here, progress: relay) { result in
            let value = sent.value(of: result)
            queue.run { then(value) }
        }
    }

    /// Starts a call of an endpoint that is an object, such as one that a view controller keeps. Its value is decoded on
    /// the main actor.
    @MainActor @discardableResult
    public func start<E: Endpoint & AnyObject>(
        _ endpoint: E, progress: (@MainActor @Sendable (CallProgress) -> Void)? = nil,
        then: @escaping @MainActor @Sendable (Result<E.Value, CallError>) -> Void
    ) -> Call {
        start(endpoint.request, progress: progress) { then(endpoint.value(of: $0)) }
    }

    /// Starts a call of the endpoint and reports its end to `delegate`, which the client holds weakly. The value is decoded
    /// on the main actor.
    @MainActor @discardableResult
    public func start<D: EndpointDelegate>(_ endpoint: D.Target, delegate: D) -> Call {
        let request = endpoint.request
        return start(
            request,
            progress: { [weak delegate] progress in delegate?.endpoint(endpoint, didProgress: progress) },
            then: { [weak delegate] result in
                switch endpoint.value(of: result) {
                case .success(let value): delegate?.endpoint(endpoint, didFinish: value)
                case .failure(let error): delegate?.endpoint(endpoint, didFailWith: error)
                }
            })
    }
}

extension Endpoint {
    /// The value of the response, or the error of the call or of the decoding.
    fileprivate func value(of result: Result<Response, CallError>) -> Result<Value, CallError> {
        result.flatMap { response in Result { () throws(CallError) in try value(of: response) } }
    }
}

/// An endpoint that was handed over to one call.
// Only the task of that call uses the endpoint, once.
private final class SentEndpoint<E: Endpoint>: @unchecked Sendable {
    private let endpoint: E

    init(_ endpoint: sending E) { self.endpoint = endpoint }

    func value(of result: Result<Response, CallError>) -> Result<E.Value, CallError> { endpoint.value(of: result) }
}
