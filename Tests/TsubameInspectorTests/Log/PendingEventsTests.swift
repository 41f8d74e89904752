// PendingEventsTests: events that wait for a reader, within a limit of bytes.

import Testing
import Tsubame
import TsubameCore
import TsubameInspector

@Suite struct PendingEventsTests {
    private let request = Request(.get, .url("http://example.com/path"))
    private let end = CallEvent.Kind.finished(Response(status: .ok))

    private func event(_ call: UInt64, _ kind: CallEvent.Kind) -> CallEvent {
        CallEvent(call: call, time: .zero, kind: kind)
    }

    @Test func `messages are kept without their bodies`() throws {
        var events = PendingEvents(limit: 1 << 20, bodyLimit: 1000)
        var long = request
        long.body = .bytes(Array(repeating: 0, count: 2000))
        events.add(event(1, .started(long)), now: 5)
        var short = request
        short.body = .bytes(Array(repeating: 0, count: 900))
        events.add(event(1, .sent(short)), now: 6)
        events.add(event(1, .finished(Response(status: .ok, body: Bytes(Array(repeating: 0, count: 5000))))), now: 7)
        let entries = events.take().parts.flatMap(\.self)
        #expect(entries.map(\.now) == [5, 0, 0])
        guard case .started(let first) = entries[0].event.kind, case .sent(let second) = entries[1].event.kind,
            case .finished(let response) = entries[2].event.kind
        else { throw CallError(.misuse, "other events") }
        #expect(!first.body.isEmpty && first.body.length == 2000)
        #expect(first.curl(showingSecrets: true).utf8.count < 200)
        #expect(second.body.length == 900)
        #expect(response.bytes.isEmpty)
        #expect(events.isEmpty)
    }

    /// A call runs through it all, and one ends at each turn.
    @Test func `the oldest calls that have ended are evicted, and running ones are not`() {
        let limit = 4 << 20
        var events = PendingEvents(limit: limit, bodyLimit: 1000)
        events.add(event(1, .started(request)), now: 1)
        let count = 20_000 as UInt64
        for call in 2...count {
            events.add(event(call, .started(request)), now: 1)
            events.add(event(1, .receiving(TransferProgress(bytes: Int64(call), total: nil))), now: 1)
            events.add(event(call, end), now: 1)
            #expect(events.bytes <= limit + (1 << 20))
        }
        let (parts, evicted) = events.take()
        let entries = parts.flatMap(\.self)
        #expect(entries.first?.event.call == 1)
        let started = entries.count { if case .started = $0.event.kind { true } else { false } }
        #expect(started + evicted == Int(count))
        #expect(evicted > 0)
        #expect(entries.last?.event.call == count)
    }

    @Test func `a call that ends after its beginning was carried on is evicted as a whole`() {
        var events = PendingEvents(limit: 1 << 20, bodyLimit: 1000)
        events.add(event(1, .started(request)), now: 1)
        for call in 2...3000 as ClosedRange<UInt64> {
            events.add(event(call, .started(request)), now: 1)
            events.add(event(call, end), now: 1)
        }
        events.add(event(1, end), now: 1)
        for call in 3001...6000 as ClosedRange<UInt64> {
            events.add(event(call, .started(request)), now: 1)
            events.add(event(call, end), now: 1)
        }
        let (parts, evicted) = events.take()
        let entries = parts.flatMap(\.self)
        #expect(!entries.contains { $0.event.call == 1 })
        let started = entries.count { if case .started = $0.event.kind { true } else { false } }
        #expect(started + evicted == 6000)
    }

    @Test func `the end of a call that was read is not evicted`() {
        var events = PendingEvents(limit: 1 << 20, bodyLimit: 1000)
        events.add(event(1, .started(request)), now: 1)
        _ = events.take()
        events.know([1])
        events.add(event(1, end), now: 1)
        for call in 2...3000 as ClosedRange<UInt64> {
            events.add(event(call, .started(request)), now: 1)
            events.add(event(call, end), now: 1)
        }
        let first = events.take().parts.flatMap(\.self).first
        #expect(first?.event.call == 1)
    }

    @Test func `the length of a stream is no memory, and large bodies are looked at soon`() {
        var events = PendingEvents(limit: 1 << 20, bodyLimit: 256 << 10)
        var streamed = request
        streamed.body = .stream(length: .max) { AsyncStream<Bytes> { $0.finish() } }
        events.add(event(1, .started(streamed)), now: 1)
        #expect(events.bytes < 4096)
        for call in 2...500 as ClosedRange<UInt64> {
            events.add(event(call, .started(request)), now: 1)
            events.add(event(call, .responseBody(Bytes(Array(repeating: 0, count: 256 << 10)), at: 0)), now: 1)
            events.add(event(call, end), now: 1)
            #expect(events.bytes < 2 << 20)
        }
    }

    @Test func `an error is kept without the bodies of its messages`() throws {
        var events = PendingEvents(limit: 1 << 20, bodyLimit: 1000)
        var long = request
        long.body = .bytes(Array(repeating: 0, count: 5000))
        let response = Response(status: .badRequest, body: Bytes(Array("{\"token\":\"hush\"}".utf8)))
        events.add(event(1, .failed(CallError(.status, "400", request: long, response: response))), now: 1)
        guard case .failed(let error) = events.take().parts.flatMap(\.self).first?.event.kind else {
            throw CallError(.misuse, "another event")
        }
        #expect(error.response?.bytes.isEmpty == true && error.response?.statusCode == 400)
        #expect(!error.description.contains("hush"))
        guard case .failed = error.request?.body.content else { throw CallError(.misuse, "the body is kept") }
    }
}
