// BodyWindowTests: the memory that a window keeps.

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
}
