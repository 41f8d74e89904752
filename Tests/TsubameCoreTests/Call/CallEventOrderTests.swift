// CallEventOrderTests: the last event of a call comes last, also beside other threads.

import Synchronization
import HTTPTypes
import Testing
import TsubameCore

@Suite struct CallEventOrderTests {
    /// Ends the call from within the delivery of another event, as a thread beside it would.
    @Test func `an event that is being delivered when the call ends comes before the last one`() throws {
        let observers = ObserverList()
        let call = Call(
            Request(.get, "http://localhost/", encodedQuery: "", headers: [:], body: .empty), CallOptions(),
            observers: observers)
        let events = Mutex<[String]>([])
        let early = EventSubscription(observers) { event in
            guard case .queued = event.kind else { return }
            call.finish(.cancelled)
            // The call has ended. Nothing but the last event follows.
            call.emit(.securing)
        }
        let late = EventSubscription(observers) { event in
            events.withLock { $0.append("\(event.kind)") }
        }
        call.emit(.queued(why: "none is open"))
        call.finish(.cancelled)
        #expect(events.withLock { $0 } == [#"queued(why: "none is open")"#, "cancelled"])
        _ = (early, late)
    }
}
