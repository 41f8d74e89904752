// CallOptions: what the client and the caller ask of one call.

/// The options of a call. They do not change while it runs.
package struct CallOptions: Sendable {
    package var timeouts: Timeouts
    package var limits: Limits
    /// Whether the caller wants every body as it arrives. Otherwise a small body comes whole.
    package var wantsStream: Bool
    /// The statuses of responses that are passed on before their bodies are complete, because the chain may not read
    /// those bodies.
    package var statusesPassedOnEarly: ClosedRange<Int>?
    /// The executor on which a streamed request body is read: the one that the call runs on, if it has a preference.
    package var executor: (any TaskExecutor)?
    /// Whether the call runs in a task that is cancelled when the call is. Its exchanges then end with their task.
    package var isGuarded: Bool
    /// The fields that the client adds to most of its requests.
    package var sharedFields: PreencodedFields?
    /// Whether the sender of the requests of this call decides by itself about another attempt, because it continues
    /// where the failure was. nil stands for never.
    package var retriesItself: (@Sendable () -> Bool)?

    package init(
        timeouts: Timeouts = Timeouts(), limits: Limits = Limits(), wantsStream: Bool = false,
        statusesPassedOnEarly: ClosedRange<Int>? = nil, executor: (any TaskExecutor)? = nil, isGuarded: Bool = false,
        sharedFields: PreencodedFields? = nil, retriesItself: (@Sendable () -> Bool)? = nil
    ) {
        self.timeouts = timeouts
        self.limits = limits
        self.wantsStream = wantsStream
        self.statusesPassedOnEarly = statusesPassedOnEarly
        self.executor = executor
        self.isGuarded = isGuarded
        self.sharedFields = sharedFields
        self.retriesItself = retriesItself
    }
}
