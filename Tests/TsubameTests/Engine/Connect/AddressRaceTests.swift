// AddressRaceTests: the race of addresses alone, with real sockets.

import NIOCore
import Testing
import Tsubame
import TsubameCore
import TsubameSockets
import TsubameTesting

@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct AddressRaceTests {
    private enum End: Equatable, Sendable {
        case won(String)
        case lost
    }

    /// Everything that a race has told.
    private final class Track: Sendable {
        let begun = Log<String>()
        let ends = Log<End>()
        let isOver = Gate()
    }

    /// Begins a race on the pool's loop. A channel that wins is closed at once.
    private func race(
        _ addresses: [String], _ port: Int, on loopPool: LoopPool,
        _ change: (inout ConnectionSettings) -> Void = { _ in }
    ) async throws -> (AddressRace, Track) {
        var settings = ConnectionSettings()
        change(&settings)
        let rules = try AddressRules(SharedSettings(settings))
        let list = addresses.compactMap { TsubameSockets.SocketAddress(ip: $0, port: UInt16(port)) }
        let track = Track()
        let race = AddressRace(AddressOrder(list), rules, on: loopPool) { event in
            switch event {
            case .tries(let address): return track.begun.add(address.ip)
            case .won(let channel, let address):
                track.ends.add(.won(address.ip))
                channel.end()
            case .lost: track.ends.add(.lost)
            }
            track.isOver.open()
        }
        try await loopPool.loop.submit { race.start() }.get()
        return (race, track)
    }

    @Test func `an address that refuses is followed at once, and is named`() async throws {
        let server = try await ScriptedServer.start()
        let dead = try HeldAddress("127.0.0.2", port: server.port)
        defer { withExtendedLifetime(dead) {} }
        try await EngineParts.withLoopPool { loopPool in
            let (race, track) = try await race(["127.0.0.2", "127.0.0.1"], server.port, on: loopPool)
            try await track.isOver.wait()
            #expect(track.begun.all == ["127.0.0.2", "127.0.0.1"])
            #expect(track.ends.all == [.won("127.0.0.1")])
            let (failures, sockets) = try await loopPool.loop.submit {
                (race.failures.map { "\($0.address): \($0.reason)" }, loopPool.openSockets)
            }.get()
            #expect(failures == ["127.0.0.2:\(server.port): connection refused"])
            #expect(sockets == 0)
        }
        await server.stop()
    }

    @Test func `a silent address is followed after a delay, and closed when another one answers`() async throws {
        let server = try await ScriptedServer.start()
        let silent = try FullBacklog("127.0.0.2", port: server.port)
        defer { withExtendedLifetime(silent) {} }
        try await EngineParts.withLoopPool { loopPool in
            let start = ContinuousClock.now
            let (race, track) = try await race(["127.0.0.2", "127.0.0.1"], server.port, on: loopPool)
            try await track.isOver.wait()
            #expect(ContinuousClock.now - start >= .milliseconds(249))
            #expect(track.ends.all == [.won("127.0.0.1")])
            #expect(try await loopPool.loop.submit { race.silent.isEmpty && loopPool.openSockets == 0 }.get())
        }
        await server.stop()
    }

    @Test func `a race without an address that answers is lost once`() async throws {
        let dead = try DeadPort()
        try await EngineParts.withLoopPool { loopPool in
            let (race, track) = try await race(["127.0.0.1", "127.0.0.1"], dead.number, on: loopPool)
            try await track.isOver.wait()
            #expect(track.ends.all == [.lost])
            #expect(try await loopPool.loop.submit { race.failures.count }.get() == 2)
        }
    }

    @Test func `an address that the rules forbid is not tried`() async throws {
        let dead = try DeadPort()
        try await EngineParts.withLoopPool { loopPool in
            let (race, track) = try await race(["127.0.0.1", "127.0.0.2"], dead.number, on: loopPool) {
                $0.allowedAddresses = .publicOnly
            }
            try await track.isOver.wait()
            #expect(track.begun.all.isEmpty)
            #expect(track.ends.all == [.lost])
            let reasons = try await loopPool.loop.submit { Set(race.failures.map(\.reason)) }.get()
            #expect(reasons == [AddressRules.notAllowed])
        }
    }

    @Test func `a race that is cancelled closes its sockets and tells nothing`() async throws {
        let silent = try FullBacklog()
        try await EngineParts.withLoopPool { loopPool in
            let (race, track) = try await race(["127.0.0.1"], silent.port, on: loopPool)
            let sockets = try await loopPool.loop.submit {
                let before = loopPool.openSockets
                race.cancel()
                return [before, loopPool.openSockets]
            }.get()
            #expect(sockets == [1, 0])
            #expect(track.ends.all.isEmpty)
        }
    }
}
