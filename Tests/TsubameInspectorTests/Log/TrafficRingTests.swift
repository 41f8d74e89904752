// TrafficRingTests: the calls of a log within a limit of bytes.

import Testing
import Tsubame
import TsubameCore
import TsubameInspector

@Suite struct TrafficRingTests {
    private func event(_ call: UInt64, _ kind: CallEvent.Kind, at time: Int = 0) -> CallEvent {
        CallEvent(call: call, time: .milliseconds(time), kind: kind)
    }

    private let request = Request(.get, .url("http://example.com/path"))
    private let end = CallEvent.Kind.finished(Response(status: .ok))

    @Test func `the oldest calls that have ended go first, and running ones stay`() {
        var ring = TrafficRing(limit: 8000, bodyLimit: 1000)
        for call in 1...20 as ClosedRange<UInt64> {
            ring.add(event(call, .started(request)), now: Double(call))
            if call != 2 { ring.add(event(call, end), now: Double(call)) }
            #expect(ring.bytes <= 8000)
        }
        #expect(ring[1] == nil)
        #expect(ring[2]?.state == .running)
        #expect(ring[20]?.state == .finished)
        #expect(ring.count + ring.evicted == 20)
        let listed = ring.calls(after: 0, limit: 100).map(\.id)
        #expect(listed == listed.sorted() && listed.count == ring.count)
        #expect(ring.calls(after: 18, limit: 1).map(\.id) == [19])
        // Its later events still arrive.
        ring.add(event(2, end), now: 30)
        #expect(ring[2]?.state == .finished)
    }

    @Test func `a smaller limit evicts more`() {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 1000)
        for call in 1...20 as ClosedRange<UInt64> {
            ring.add(event(call, .started(request)), now: 0)
            ring.add(event(call, end), now: 0)
        }
        let half = ring.bytes / 2
        ring.shrink(to: half)
        #expect(ring.bytes <= half && ring.count == 10 && ring.evicted == 10)
        ring.shrink(to: 0)
        #expect(ring.count == 0 && ring.bytes == 0)
    }

    @Test func `events of unknown calls change nothing`() {
        var ring = TrafficRing(limit: 8000, bodyLimit: 1000)
        let changes = [ring.add(event(7, .queued(why: "none is open")), now: 0), ring.add(event(7, end), now: 0)]
        #expect(changes == [false, false])
        #expect(ring.count == 0 && ring.bytes == 0)
    }

    @Test func `clearing keeps the running calls and counts their bytes`() {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 1000)
        for call in 1...3 as ClosedRange<UInt64> { ring.add(event(call, .started(request)), now: 0) }
        ring.add(event(1, end), now: 0)
        ring.add(event(3, .cancelled), now: 0)
        ring.clear()
        #expect(ring.all.map(\.id) == [2])
        #expect(ring.bytes == ring[2]?.size)
    }

    @Test func `bodies count, are cut with a mark, and belong to the attempt that sent them`() throws {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 4)
        ring.add(event(1, .started(request)), now: 0)
        ring.add(event(1, .sent(request)), now: 0)
        ring.add(event(1, .headReceived(Response(status: .ok))), now: 0)
        ring.add(event(1, .resending(request, why: ResendReason(.retry, "503"), after: .zero)), now: 0)
        let before = ring.bytes
        ring.add(event(1, .responseBody(Bytes("earlier"), at: 0)), now: 0)
        ring.add(event(1, .responseBody(Bytes("later"), at: 0)), now: 0)
        #expect(ring.bytes == before + 4)
        ring.add(event(1, .sent(request)), now: 0)
        ring.add(event(1, .headReceived(Response(status: .ok))), now: 0)
        ring.add(event(1, .responseBody(Bytes("okay"), at: 0)), now: 0)
        let call = try #require(ring[1])
        #expect(call.attempts.count == 2)
        #expect(call.attempts[0].responseBody?.bytes.count == 4)
        #expect(call.attempts[0].responseBody?.isCut == true)
        #expect(call.attempts[1].responseBody?.bytes.count == 4)
        #expect(call.attempts[1].responseBody?.isCut == false)
    }

    @Test func `the pieces of a body are joined, and a body that is sent again begins anew`() throws {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 8)
        ring.add(event(1, .started(request)), now: 0)
        ring.add(event(1, .sent(request)), now: 0)
        let before = ring.bytes
        for (piece, offset) in [("ab", 0), ("cde", 2), ("xy", 0), ("z", 2)] {
            ring.add(event(1, .requestBody(Bytes(piece), at: offset)), now: 0)
        }
        var body = try #require(ring[1]?.attempts[0].requestBody)
        #expect(body.bytes == Bytes("xyz") && !body.isCut && ring.bytes == before + 3)
        ring.add(event(1, .requestBody(Bytes("123456"), at: 3)), now: 0)
        body = try #require(ring[1]?.attempts[0].requestBody)
        #expect(body.bytes == Bytes("xyz12345") && body.isCut && ring.bytes == before + 8)
    }

    @Test func `what follows a part of a body that is missing is not kept`() throws {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 100)
        for kind in [
            .started(request), .sent(request), .headReceived(Response(status: .ok)), .responseBody(Bytes("ab"), at: 0),
            .responseBody(Bytes("ef"), at: 4), .responseBody(Bytes("cd"), at: 2),
        ] as [CallEvent.Kind] { ring.add(event(1, kind), now: 0) }
        let body = try #require(ring[1]?.attempts[0].responseBody)
        #expect(body.bytes == Bytes("ab") && body.isCut)
    }

    @Test func `the rest of an earlier answer stays with it`() throws {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 100)
        for kind in [
            .started(request), .sent(request), .headReceived(Response(status: .found)),
            .responseBody(Bytes("mov"), at: 0),
            .resending(request, why: ResendReason(.redirect, "302"), after: .zero), .sent(request),
            .responseBody(Bytes("ed"), at: 3), .headReceived(Response(status: .ok)),
            .responseBody(Bytes("!"), at: 5), .responseBody(Bytes("here"), at: 0),
        ] as [CallEvent.Kind] { ring.add(event(1, kind), now: 0) }
        let attempts = try #require(ring[1]?.attempts)
        #expect(attempts.map { $0.responseBody?.bytes } == [Bytes("moved!"), Bytes("here")])
        #expect(attempts.allSatisfy { $0.responseBody?.isCut == false })
    }

    @Test func `progress replaces progress`() throws {
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 1000)
        ring.add(event(1, .started(request)), now: 0)
        for bytes in 1...1000 as ClosedRange<Int64> {
            ring.add(event(1, .receiving(TransferProgress(bytes: bytes, total: nil))), now: 0)
        }
        let call = try #require(ring[1])
        #expect(call.events.count == 2)
        #expect(CallRow(call).received == 1000)
    }

    @Test func `a call keeps so many events, and its last one`() throws {
        var ring = TrafficRing(limit: 1 << 30, bodyLimit: 1000)
        ring.add(event(1, .started(request)), now: 0)
        for _ in 0..<5000 { ring.add(event(1, .decision("again")), now: 0) }
        ring.add(event(1, end), now: 0)
        let call = try #require(ring[1])
        #expect(call.events.count == 2001 && call.skipped == 3001)
        #expect(call.state == .finished)
        #expect(ring.running.isEmpty)
        ring.clear()
        let removed = [ring.takeRemoved(), ring.takeRemoved()]
        #expect(removed == [[1], []])
    }

    @Test func `phases follow the events, with a delay before a retry`() throws {
        let info = ConnectionInfo(remoteAddress: "192.0.2.7:80", version: .http11)
        var ring = TrafficRing(limit: 1 << 20, bodyLimit: 1000)
        var posted = request
        posted.body = .bytes([1, 2])
        let events: [(Int, CallEvent.Kind)] = [
            (0, .started(posted)), (1, .queued(why: "none is open")), (2, .resolving(host: "example.com")),
            (5, .resolved(addresses: [])),
            (5, .connecting(address: "192.0.2.7:80")), (6, .connecting(address: "192.0.2.8:80")), (9, .connected(info)),
            (9, .securing), (12, .secured(info)), (13, .sent(posted)),
            (15, .sending(TransferProgress(bytes: 2, total: 2))), (20, .headReceived(Response(status: .ok))),
            (21, .resending(posted, why: ResendReason(.retry, "503"), after: .milliseconds(10))), (31, .reused(info)),
            (31, .sent(request)), (40, .headReceived(Response(status: .ok))), (44, .finished(Response(status: .ok))),
        ]
        for (time, kind) in events { ring.add(event(1, kind, at: time), now: Double(time)) }
        let call = try #require(ring[1])
        let phases = call.phases.map { "\($0.name.rawValue) \(Int($0.from))-\(Int($0.to))" }
        #expect(
            phases == [
                "queued 1-2", "dns 2-5", "connect 5-9", "tls 9-12", "send 13-15", "wait 15-20", "receive 20-21",
                "delay 21-31", "wait 31-40", "receive 40-44",
            ])
    }
}
