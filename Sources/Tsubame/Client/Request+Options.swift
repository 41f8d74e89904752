// Request+Options: settings of the client that one request changes for itself.

public import TsubameCore

/// The changes of one request, in the order in which they were made.
private struct RequestOptionChanges: Sendable {
    var changes: [@Sendable (inout Configuration) -> Void] = []
}

extension Request {
    /// Changes the client's settings for this request alone, such as its interceptors, redirects, credentials, cookies,
    /// cache or retries.
    ///
    /// ```swift
    /// request.options { $0.redirects = .off; $0.interceptors += [Trace()] }
    /// ```
    /// The closure runs when the request is sent, on the settings of the client that sends it. Such a call is sent by a
    /// view as ``Client/with(_:)`` returns it, which shares the client's connections and observers. For many requests
    /// with the same changes, make that view once.
    public mutating func options(_ change: @escaping @Sendable (inout Configuration) -> Void) {
        var all = overrides as? RequestOptionChanges ?? RequestOptionChanges()
        all.changes.append(change)
        overrides = all
    }
}

extension Client {
    /// The client that sends the request, which is this one or a view of it, and the request without its own settings.
    func resolved(_ request: Request) -> (client: Client, request: Request) {
        guard let overrides = request.overrides as? RequestOptionChanges else { return (self, request) }
        var plain = request
        plain.overrides = nil
        let view = with { configuration in
            for change in overrides.changes { change(&configuration) }
        }
        return (view, plain)
    }
}
