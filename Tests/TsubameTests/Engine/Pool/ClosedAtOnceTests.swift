// ClosedAtOnceTests: a connection that its server closes before it carries anything.

import HTTPTypes
import NIOCore
import Testing
import Tsubame
import TsubameCore

@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct ClosedAtOnceTests {
    /// A connection that stands, and can carry nothing.
    private final class Closed: PooledConnection {
        let key: ConnectionKey
        var membership: PoolMembership?
        var isClosed = false

        init(_ key: ConnectionKey) { self.key = key }

        let isShared = true
        let acceptsNoMore = true
        let availableStreams = 0
        let unconsumedBytes = 0
        let exchangeCount = 0
        func reusability(for exchange: Exchange) -> Reusability { .no }
        func run(_ exchange: Exchange) { Issue.record("an exchange was begun") }
        func flush() {}
        func stopAccepting() {}
        func close() { isClosed = true }
    }

    @Test func `its request fails, and no other connection is made for it`() async throws {
        try await EngineParts.withLoopPool { loopPool in
            try await loopPool.loop.submit {
                let exchange = try EngineParts.exchange(Request(.get, url: "http://127.0.0.1:1/"), on: loopPool)
                loopPool.start(exchange)
                let origin = try #require(loopPool.origins.all[exchange.key])
                let connector = try #require(origin.connectors.values.first)
                let connection = Closed(exchange.key)
                loopPool.finished(connector, .success(connection))
                #expect(connection.isClosed && connection.membership == nil)
                #expect(origin.connectors.isEmpty && origin.pool.isEmpty)
                guard case .failure(let error)? = exchange.takeOutcome() else {
                    Issue.record("the request goes on")
                    return
                }
                #expect(error.kind == .connectionLost)
                // A result that comes twice is not another connector's.
                let second = Closed(exchange.key)
                loopPool.finished(connector, .success(second))
                #expect(second.isClosed)
                connector.cancel()
            }.get()
        }
    }
}
