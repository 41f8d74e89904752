// EventDelivery: which events of a call its observers receive, and when the last one comes. A value.

/// Counts the threads that tell observers of an event at this moment, so that the last event of a call comes last. The call
/// guards it by its lock.
struct EventDelivery: Sendable {
    /// Whether observers receive only the last event from now on.
    private var isEnding = false
    /// The number of events that are being delivered.
    private var running = 0
    private var waiter: UnsafeContinuation<Void, Never>?
    /// The last event, while others are being delivered. The thread that delivers the last of those delivers this one as well.
    private var last: CallEvent.Kind?

    /// The work that is left to a thread after it has delivered an event.
    struct Rest {
        /// Waits until no event is being delivered.
        var waiter: UnsafeContinuation<Void, Never>?
        var last: CallEvent.Kind?
    }

    /// Begins the delivery of an event that is not the last one.
    /// - Returns: false if the event is dropped. A connection may still report after the end, for example bytes that it was
    ///   sending.
    mutating func begin() -> Bool {
        if !isEnding { running += 1 }
        return !isEnding
    }

    /// Ends the delivery that began.
    mutating func end() -> Rest {
        running -= 1
        guard running == 0 else { return Rest() }
        defer { (waiter, last) = (nil, nil) }
        return Rest(waiter: waiter, last: last)
    }

    /// Drops every event but the last from now on.
    mutating func close() { isEnding = true }

    /// Keeps the continuation until no event is being delivered.
    /// - Returns: false if none is, and nothing is kept.
    mutating func keep(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        if running > 0 { waiter = continuation }
        return running > 0
    }

    /// Keeps the last event while others are being delivered.
    /// - Returns: false if none is, and nothing is kept.
    mutating func keep(last: CallEvent.Kind) -> Bool {
        if running > 0 { self.last = last }
        return running > 0
    }
}
