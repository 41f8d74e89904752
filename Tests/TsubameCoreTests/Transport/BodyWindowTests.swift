// BodyWindowTests: the memory that a window keeps, and the reader that receives by itself.

import Synchronization
import Testing
import TsubameCore

@Suite struct BodyWindowTests {
    private final class Producer: BodyProducer {
        func resumeReading(of window: BodyWindow) {}
        func readerGaveUp(_ window: BodyWindow) {}
    }

    private static func address(_ piece: Bytes) -> Int {
        piece.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }

    /// Whether a reader gets the memory that the producer has given.
    private func isSameMemory(isShared: Bool, isCollected: Bool, isInitial: Bool) async throws -> Bool {
        let read = Bytes([UInt8](repeating: 7, count: 4_096))
        let piece = read.slice(100..<300)
        let window = BodyWindow(
            Producer(), initial: isInitial ? [piece] : [], isShared: isShared, isCollected: isCollected)
        if !isInitial { _ = window.append(piece, isShared: isShared) }
        let taken = try #require(try await BodyPull(window).next())
        #expect(taken == piece)
        return withExtendedLifetime(read) { Self.address(taken) == Self.address(piece) }
    }

    @Test(arguments: [true, false]) func `a piece of a read that others share is copied, unless the reader keeps up`(
        isInitial: Bool
    ) async throws {
        #expect(try await !isSameMemory(isShared: true, isCollected: false, isInitial: isInitial))
        #expect(try await isSameMemory(isShared: true, isCollected: true, isInitial: isInitial))
        #expect(try await isSameMemory(isShared: false, isCollected: false, isInitial: isInitial))
    }

    /// As over HTTP/2, where the peer may send as far as its window goes, in spite of a pause.
    @Test(arguments: [1, 100, 4_095, 4_096]) func `small pieces that come in spite of a pause are merged`(
        size: Int
    ) async throws {
        let producer = CountingProducer()
        let window = BodyWindow(producer)
        var sent: [UInt8] = []
        for index in 0..<(100_000 / size) {
            let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: size)
            _ = window.append(Bytes(piece), isShared: index.isMultiple(of: 2))
            sent += piece
        }
        #expect(window.isPaused)
        window.end(.success(()))
        let pull = BodyPull(window)
        var (received, pieces): ([UInt8], Int) = ([], 0)
        while let piece = try await pull.next() {
            received += Array(piece)
            pieces += 1
        }
        #expect(received == sent)
        // About a hundred before the pause.
        #expect(pieces < 120, "\(pieces)")
    }

    @Test func `a reader that takes merged pieces lets the producer go on`() async throws {
        let producer = CountingProducer()
        let window = BodyWindow(producer)
        let pull = BodyPull(window)
        for _ in 0..<3 {
            var count = 0
            while count < 50_000 {
                _ = window.append(Bytes([7]))
                count += 1
            }
            #expect(window.isPaused)
            while count > 0 { count -= try #require(try await pull.next()).count }
            #expect(!window.isPaused && count == 0)
        }
        #expect(producer.resumed.load(ordering: .relaxed) == 3)
    }

    // MARK: Lending

    /// Gives pieces until it is over, and counts.
    private final class Loan: BodyLoan {
        private let state: Mutex<(pieces: [Bytes], reads: Int, returns: Int)>

        init(_ pieces: [Bytes]) { state = Mutex((pieces.reversed(), 0, 0)) }

        func read() -> (piece: Bytes?, isOver: Bool) {
            state.withLock { state in
                state.reads += 1
                return (state.pieces.popLast(), state.pieces.isEmpty)
            }
        }

        func giveBack() { state.withLock { $0.returns += 1 } }

        var reads: Int { state.withLock { $0.reads } }
        var returns: Int { state.withLock { $0.returns } }
    }

    /// A producer that counts.
    private final class CountingProducer: BodyProducer {
        let resumed = Atomic(0)
        let givenUp = Atomic(0)

        func resumeReading(of window: BodyWindow) { resumed.add(1, ordering: .relaxed) }
        func readerGaveUp(_ window: BodyWindow) {
            givenUp.add(1, ordering: .relaxed)
            window.end(.failure(.givenUp))
        }
    }

    private static func bytes(_ value: UInt8, _ count: Int) -> Bytes { Bytes([UInt8](repeating: value, count: count)) }

    @Test func `a reader with a loan empties the queue first, then reads, then waits for its producer again`()
        async throws
    {
        let producer = CountingProducer()
        let window = BodyWindow(producer, isCollected: true)
        let body = BodyPull(window)
        #expect(window.append(Self.bytes(1, ReadAhead.most)))
        let loan = Loan([Self.bytes(2, 5), Self.bytes(3, 6)])
        #expect(window.lend(loan))
        #expect(try await body.next()?.count == ReadAhead.most)
        #expect(loan.reads == 0)
        #expect(try await body.next() == Self.bytes(2, 5))
        #expect(loan.returns == 0)
        #expect(try await body.next() == Self.bytes(3, 6))
        #expect(loan.returns == 1)
        // The producer goes on after the loan, and was not asked to before.
        #expect(producer.resumed.load(ordering: .relaxed) == 0)
        #expect(!window.append(Self.bytes(4, 7)))
        #expect(try await body.next() == Self.bytes(4, 7))
        #expect(loan.reads == 2)
        window.end(.success(()))
        #expect(try await body.next() == nil)
    }

    @Test func `a reader that waits already reads by itself`() async throws {
        let window = BodyWindow(Producer(), isCollected: true)
        let body = BodyPull(window)
        let reading = Task { try await body.next() }
        await Task.yield()
        #expect(window.lend(Loan([Self.bytes(2, 5)])))
        #expect(try await reading.value == Self.bytes(2, 5))
    }

    @Test func `neither a slow reader nor an ended body gets a loan`() {
        let slow = BodyWindow(Producer())
        #expect(slow.append(Self.bytes(1, ReadAhead.least)))
        #expect(!slow.lend(Loan([])))
        let ended = BodyWindow(Producer(), isCollected: true)
        ended.end(.success(()))
        #expect(!ended.lend(Loan([])))
    }

    @Test func `the end of a body ends the loan`() async throws {
        let window = BodyWindow(Producer(), isCollected: true)
        let loan = Loan([Self.bytes(2, 5), Self.bytes(3, 6)])
        #expect(window.lend(loan))
        let body = BodyPull(window)
        #expect(try await body.next() == Self.bytes(2, 5))
        window.end(.failure(.givenUp))
        await #expect(throws: CallError.self) { try await body.next() }
        #expect(loan.reads == 1)
    }

    @Test func `a task that is cancelled reads no more by itself`() async throws {
        let producer = CountingProducer()
        let window = BodyWindow(producer, isCollected: true)
        let loan = Loan([Self.bytes(2, 5)])
        #expect(window.lend(loan))
        let body = BodyPull(window)
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await body.next()
        }
        await #expect(throws: CallError.self) { try await reading.value }
        #expect(loan.reads == 0)
        #expect(producer.givenUp.load(ordering: .relaxed) == 1)
    }
}
