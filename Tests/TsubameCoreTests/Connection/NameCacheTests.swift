// NameCacheTests: the answers of a resolver are shared, kept for their time, and bounded.

import Synchronization
import Testing
import TsubameCore

/// Looks names up by hand: the test decides when an answer comes.
private final class Book: Sendable {
    private let open = Mutex<[(host: String, reply: NameCache.Reply)]>([])

    func cache() -> NameCache { NameCache { host, reply in self.open.withLock { $0.append((host, reply)) } } }

    var asked: [String] { open.withLock { $0.map(\.host) } }

    func answer(_ index: Int, _ addresses: [String], lifetime: Duration? = nil) {
        let reply = open.withLock { $0[index].reply }
        reply(.success(NameResolver.Answer(addresses, lifetime: lifetime)))
    }

    func fail(_ index: Int) {
        let reply = open.withLock { $0[index].reply }
        reply(.failure(CallError(.nameResolution, "no such host")))
    }
}

/// The answers that came.
private final class Received: Sendable {
    private let all = Mutex<[[String]?]>([])

    var answers: [[String]?] { all.withLock { $0 } }

    func reply(_ result: Result<NameResolver.Answer, any Error>) {
        all.withLock { $0.append(try? result.get().addresses) }
    }
}

@Suite struct NameCacheTests {
    private let book = Book()
    private let received = Received()

    @Test func `callers of one host share a look-up, and all get its answer`() {
        let cache = book.cache()
        for _ in 0..<3 { cache.ask("a.example", received.reply) }
        cache.ask("b.example", received.reply)
        #expect(book.asked == ["a.example", "b.example"])
        book.answer(0, ["192.0.2.1"])
        #expect(received.answers == [["192.0.2.1"], ["192.0.2.1"], ["192.0.2.1"]])
        #expect(cache.known("a.example", lifetime: .seconds(60)) == ["192.0.2.1"])
        #expect(cache.known("b.example", lifetime: .seconds(60)) == nil)
    }

    @Test func `a failure goes to all, and the next caller asks again`() {
        let cache = book.cache()
        cache.ask("a.example", received.reply)
        cache.ask("a.example", received.reply)
        book.fail(0)
        #expect(received.answers == [nil, nil])
        cache.ask("a.example", received.reply)
        #expect(book.asked.count == 2)
    }

    @Test(arguments: [[], ["nothing"], ["192.0.2.1", "nothing"]])
    func `an answer that cannot be used is not kept`(_ addresses: [String]) {
        let cache = book.cache()
        cache.ask("a.example", received.reply)
        book.answer(0, addresses)
        #expect(received.answers == [addresses])
        #expect(cache.known("a.example", lifetime: .seconds(60)) == nil)
    }

    @Test func `an answer is kept for the shorter of two lifetimes`() {
        let cache = book.cache()
        for (index, (host, lifetime)) in [("a", nil), ("b", Duration.zero), ("c", .seconds(-1)), ("d", .seconds(60))]
            .enumerated()
        {
            cache.ask(host, received.reply)
            book.answer(index, ["192.0.2.1"], lifetime: lifetime)
        }
        let known = ["a", "b", "c", "d"].map { cache.known($0, lifetime: .seconds(60)) != nil }
        #expect(known == [true, false, false, true])
        #expect(["a", "d"].allSatisfy { cache.known($0, lifetime: .zero) == nil })
    }

    @Test func `a host is forgotten on demand`() {
        let cache = book.cache()
        cache.ask("a.example", received.reply)
        book.answer(0, ["192.0.2.1"])
        cache.forget("a.example")
        #expect(cache.known("a.example", lifetime: .seconds(60)) == nil)
    }

    @Test func `names of ever new hosts do not fill the memory`() {
        let cache = book.cache()
        for index in 0..<1_500 {
            cache.ask("\(index).example", received.reply)
            book.answer(index, ["192.0.2.1"])
        }
        let kept = (0..<1_500).count { cache.known("\($0).example", lifetime: .seconds(60)) != nil }
        #expect((1...1_000).contains(kept))
        #expect(cache.known("1499.example", lifetime: .seconds(60)) != nil)
    }
}
