// SettlementTests: a waiting call is resumed once, with the first outcome.

import Dispatch
import NIOCore
import Synchronization
import Testing
import Tsubame
import TsubameCore
import TsubameSockets

@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct SettlementTests {
    /// A settlement that several threads may have.
    private final class Shared: Sendable {
        let settlement = Settlement<Int>()
    }

    private static let cancelled = CallError(.cancelled, "the call was cancelled")

    @Test func `the first outcome counts, and is taken once`() async throws {
        let shared = Shared()
        await withUnsafeContinuation { continuation in
            let waits = shared.settlement.wait(continuation)
            #expect(waits)
            shared.settlement.settle(.success(1))
            shared.settlement.settle(.success(2))
        }
        let (first, second) = (shared.settlement.take(), shared.settlement.take())
        #expect(try first?.get() == 1)
        #expect(second == nil)
    }

    @Test func `a call that is cancelled before it waits begins nothing`() async throws {
        let loop = NIOLoop(try TsubameSockets.EventLoop())
        defer { loop.loop.stop() }
        let (shared, cleanUps) = (Shared(), Log<Bool>())
        shared.settlement.cancel(Self.cancelled, thenOn: loop) { cleanUps.add(true) }
        await withUnsafeContinuation { continuation in
            let waits = shared.settlement.wait(continuation)
            #expect(!waits)
        }
        let outcome = shared.settlement.take()
        #expect(throws: CallError.self) { try outcome?.get() }
        try await loop.submit {}.get()
        #expect(cleanUps.all.isEmpty)
    }

    @Test func `a call that is cancelled goes on although its loop is held`() async throws {
        let loop = NIOLoop(try TsubameSockets.EventLoop())
        defer { loop.loop.stop() }
        let (shared, cleanUps) = (Shared(), Log<Bool>())
        let hold = DispatchSemaphore(value: 0)
        loop.execute { hold.wait() }
        await withUnsafeContinuation { continuation in
            let waits = shared.settlement.wait(continuation)
            #expect(waits)
            shared.settlement.cancel(Self.cancelled, thenOn: loop) { cleanUps.add(true) }
        }
        #expect(cleanUps.all.isEmpty)
        hold.signal()
        try await loop.submit {}.get()
        #expect(cleanUps.all == [true])
    }

    @Test func `of an answer and a cancellation on two threads exactly one is the outcome`() async throws {
        let loop = NIOLoop(try TsubameSockets.EventLoop())
        defer { loop.loop.stop() }
        for round in 0..<2_000 {
            let shared = Shared()
            await withUnsafeContinuation { continuation in
                let waits = shared.settlement.wait(continuation)
                #expect(waits)
                loop.execute { shared.settlement.settle(.success(round)) }
                shared.settlement.cancel(Self.cancelled, thenOn: loop) {}
            }
            switch shared.settlement.take() {
            case .success(let value): #expect(value == round)
            case .failure(let error): #expect(error.kind == .cancelled)
            case nil: Issue.record("resumed without an outcome")
            }
        }
    }
}
