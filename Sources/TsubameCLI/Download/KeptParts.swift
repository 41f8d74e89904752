// KeptParts: the kept parts of unfinished downloads, which an interrupted process reports.

import Synchronization
import TsubamePlatform
import TsubameTerminal

private let capacity = 64

/// The path of a file for the system, and the same path for display. It is never changed or freed, because the signal
/// handler may be reading it.
private struct KeptPart {
    let path: UnsafeMutablePointer<CChar>
    let shown: UnsafeMutablePointer<CChar>
    /// Whether the file's length is the number of bytes received.
    let isGapless: Bool
}

/// The signal handler reads these slots. It may run on any thread and must not allocate or lock. Each slot is one
/// pointer, so the handler sees a whole part or, if the slot is free, none. Written under the lock of `slots`.
private nonisolated(unsafe) let parts = {
    let parts = UnsafeMutablePointer<Atomic<UnsafeMutablePointer<KeptPart>?>>.allocate(capacity: capacity)
    for slot in 0..<capacity { (parts + slot).initialize(to: Atomic(nil)) }
    return parts
}()
/// Whether the slots exist, because a handler must not create them. Written under the lock of `slots`, and only from
/// false to true. A handler that runs too early reports nothing.
private nonisolated(unsafe) var isUsed = false

private let slots = Mutex(())

enum KeptParts {
    /// Has the file reported if the process is interrupted. A second call for the same file replaces the first.
    /// - Parameter isGapless: whether the file's length is the number of bytes received.
    static func add(_ path: String, isGapless: Bool) {
        slots.withLock { _ in
            let known = slot(of: path)
            if let known, parts[known].load(ordering: .acquiring)?.pointee.isGapless == isGapless { return }
            let free = (0..<capacity).first { parts[$0].load(ordering: .acquiring) == nil }
            guard let slot = known ?? free, let name = strdup(path), let shown = strdup(Canvas.visible(path)) else {
                return
            }
            let part = UnsafeMutablePointer<KeptPart>.allocate(capacity: 1)
            part.initialize(to: KeptPart(path: name, shown: shown, isGapless: isGapless))
            parts[slot].store(part, ordering: .releasing)
            isUsed = true
        }
        EndSignals.tidyUpBeforeTheEnd()
    }

    /// Stops reporting a file that is finished or gone.
    static func remove(_ path: String) {
        slots.withLock { _ in
            if let slot = slot(of: path) { parts[slot].store(nil, ordering: .releasing) }
        }
    }

    private static func slot(of path: String) -> Int? {
        (0..<capacity).first { slot in
            parts[slot].load(ordering: .acquiring).map { strcmp($0.pointee.path, path) == 0 } ?? false
        }
    }

    /// Reports the kept parts. Called by a signal handler.
    static func tell() {
        guard isUsed else { return }
        for slot in 0..<capacity {
            guard let part = parts[slot].load(ordering: .acquiring)?.pointee else { continue }
            var status = stat()
            guard lstat(part.path, &status) == 0, status.st_size > 0 else { continue }
            // The cursor may be on a line with progress bars.
            if isatty(2) == 1 { put("\n") }
            put("tsubame: ")
            if part.isGapless { put(size: UInt64(status.st_size)) } else { put("the received part is") }
            put(" kept in ")
            put(part.shown, strlen(part.shown))
            put("; the same command goes on from there\n")
        }
    }

    /// Writes a size such as `12.3 MiB are`, rounded down.
    private static func put(size: UInt64) {
        switch size {
        case 1: put("1 byte is")
        case ..<1024:
            put(number: size)
            put(" bytes are")
        case ..<(1 << 20): put(size, of: 10, " KiB are")
        case ..<(1 << 30): put(size, of: 20, " MiB are")
        default: put(size, of: 30, " GiB are")
        }
    }

    private static func put(_ size: UInt64, of bits: UInt64, _ unit: StaticString) {
        put(number: size >> bits)
        put(".")
        put(number: ((size & (1 << bits &- 1)) &* 10) >> bits)
        put(unit)
    }

    private static func put(number: UInt64) {
        // On the stack, because the handlers of two signals may run at once. There is room for all 20 digits.
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var (rest, start) = (number, digits.count)
            repeat {
                start -= 1
                digits[start] = UInt8(truncatingIfNeeded: 0x30 &+ rest % 10)
                rest /= 10
            } while rest > 0 && start > 0
            if let first = digits.baseAddress { put(first + start, digits.count - start) }
        }
    }

    private static func put(_ text: StaticString) { put(text.utf8Start, text.utf8CodeUnitCount) }

    /// A missing reader is not an error.
    private static func put(_ start: UnsafeRawPointer, _ count: Int) { _ = write(2, start, count) }
}
