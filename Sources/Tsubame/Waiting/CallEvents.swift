// CallEvents: the events of a client's calls as a sequence.

public import TsubameCore

/// The events of a client's calls, from the moment at which the loop over them begins. The sequence ends when its task is
/// cancelled.
///
/// ```swift
/// for await event in api.callEvents { print(event) }
/// ```
/// Calls never wait for the reader. The sequence keeps the last 1,000 events that were not read yet. `Client.observe`
/// loses none.
public struct CallEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = CallEvent
    /// The sequence does not fail.
    public typealias Failure = Never

    /// The most events that wait for the reader.
    static let kept = 1_000

    let client: Client

    /// Each iterator gets all events from now on.
    public func makeAsyncIterator() -> AsyncIterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CallEvent.self, bufferingPolicy: .bufferingNewest(Self.kept))
        return AsyncIterator(stream.makeAsyncIterator(), client.observe { continuation.yield($0) })
    }

    /// Gives the events in their order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var events: AsyncStream<CallEvent>.AsyncIterator
        /// Ends with the iterator.
        private let subscription: EventSubscription

        fileprivate init(_ events: AsyncStream<CallEvent>.AsyncIterator, _ subscription: EventSubscription) {
            self.events = events
            self.subscription = subscription
        }

        /// The next event; nil after the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CallEvent? {
            await events.next(isolation: actor)
        }
    }
}

extension Client {
    /// The events of this client's calls as a sequence.
    public var callEvents: CallEvents { CallEvents(client: self) }
}
