// CancelHandlers: the work that ends when a call is cancelled. A value.

/// The handlers of a call. The call guards them by its lock, and lets them go outside of it: the release of an exchange may
/// run the user's code, which may cancel the call.
struct CancelHandlers: Sendable {
    /// The exchange that began last, or what stands for it for a while.
    private(set) var current: (any CallCancellable)?
    /// The handlers before that one, of exchanges that may go on beside its exchange.
    private var earlier: [any CallCancellable] = []
    /// The handler of the work around the exchanges.
    var outer: (any CallCancellable)?

    /// Adds the handler of an exchange. Earlier ones stay until they have ended.
    /// - Returns: those that have ended.
    mutating func add(_ handler: any CallCancellable) -> [any CallCancellable] {
        defer { current = handler }
        guard let before = current, before !== handler else { return [] }
        let others = (earlier + [before]).filter { $0 !== handler }
        var gone: [any CallCancellable] = []
        earlier = []
        for one in others {
            if one.hasEnded { gone.append(one) } else { earlier.append(one) }
        }
        return gone
    }

    /// - Returns: the current handler before this one.
    mutating func replaceCurrent(by handler: (any CallCancellable)?) -> (any CallCancellable)? {
        defer { current = handler }
        return current
    }

    mutating func takeAll() -> CancelHandlers {
        defer { self = CancelHandlers() }
        return self
    }

    /// Takes the handlers of the exchanges.
    mutating func takeExchanges() -> CancelHandlers {
        let outer = outer.take()
        defer { self.outer = outer }
        return takeAll()
    }

    /// Cancels all, the outer work last.
    func cancel() {
        for handler in earlier { handler.cancel() }
        current?.cancel()
        outer?.cancel()
    }
}
