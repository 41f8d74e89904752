// CallHandlerTests: the exchanges that a cancelled call ends.

import HTTPTypes
import Synchronization
import Testing
import TsubameCore

@Suite struct CallHandlerTests {
    private final class Work: CallCancellable {
        private let state = Mutex((isCancelled: false, hasEnded: false))

        var isCancelled: Bool { state.withLock { $0.isCancelled } }
        var hasEnded: Bool { state.withLock { $0.hasEnded } }

        func cancel() { state.withLock { $0.isCancelled = true } }
        func end() { state.withLock { $0.hasEnded = true } }
    }

    private func call(isGuarded: Bool) throws -> Call {
        Call(
            Request(.get, uri: try TargetURI(parsing: "http://a.example/")), CallOptions(isGuarded: isGuarded),
            observers: ObserverList())
    }

    @Test func `a call keeps no exchange that has ended`() throws {
        let call = try call(isGuarded: true)
        weak var first: Work?
        let (second, last) = (Work(), Work())
        do {
            let work = Work()
            first = work
            #expect(call.onCancel(work) && call.onCancel(second))
            work.end()
        }
        #expect(first != nil)
        #expect(call.onCancel(last))
        #expect(first == nil)
        call.cancel()
        #expect(second.isCancelled && last.isCancelled)
    }

    @Test(arguments: [true, false]) func `an exchange within another one ends with it`(isGuarded: Bool) throws {
        let call = try call(isGuarded: isGuarded)
        let (first, last) = (Work(), Work())
        #expect(call.onCancel(first) && call.onCancel(last))
        call.cancel()
        #expect(first.isCancelled && last.isCancelled && !call.onCancel(first))
    }

    private final class Owner: Sendable {
        let subscription: EventSubscription

        init(_ subscription: EventSubscription) { self.subscription = subscription }
    }

    @Test func `an observer may own another subscription of its list`() {
        let list = ObserverList()
        var owner: Owner? = Owner(EventSubscription(list) { _ in })
        let outer = EventSubscription(list) { [owner] _ in _ = owner }
        owner = nil
        #expect(!list.isEmpty)
        outer.cancel()
        #expect(list.isEmpty)
    }
}
