// KeptParts: what stays of unfinished downloads, told when the process is interrupted.
#if Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Synchronization
import TsubameTerminal

private let capacity = 64

/// A file by its name for the system, and for whoever reads of it. Never changed once it is made, and never given back: the
/// handler may be reading it.
private struct KeptPart {
    let path: UnsafeMutablePointer<CChar>
    let shown: UnsafeMutablePointer<CChar>
    /// Whether its length says how much has come.
    let isGapless: Bool
}

/// Read by the signal handler, which may run on any thread and use nothing that allocates or locks: each slot is one pointer, so
/// that it sees all of a part or none; none if the slot is free. Written under the lock of `slots`.
private nonisolated(unsafe) let parts = {
    let parts = UnsafeMutablePointer<Atomic<UnsafeMutablePointer<KeptPart>?>>.allocate(capacity: capacity)
    for slot in 0..<capacity { (parts + slot).initialize(to: Atomic(nil)) }
    return parts
}()
/// Whether they have been made, which a handler must not do. Written under the lock of `slots`, and from
/// false to true only: a handler that comes too early tells nothing.
private nonisolated(unsafe) var isUsed = false

private let slots = Mutex(())

enum KeptParts {
    /// From now on the file is told of when the process is interrupted, or in another way than before.
    /// - Parameter isGapless: whether its length says how much has come.
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

    /// The file is finished, or gone.
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

    /// By a signal handler.
    static func tell() {
        guard isUsed else { return }
        for slot in 0..<capacity {
            guard let part = parts[slot].load(ordering: .acquiring)?.pointee else { continue }
            var status = stat()
            guard lstat(part.path, &status) == 0, status.st_size > 0 else { continue }
            // Bars may stand in the line.
            if isatty(2) == 1 { put("\n") }
            put("tsubame: ")
            if part.isGapless { put(size: UInt64(status.st_size)) } else { put("what came is") }
            put(" kept in ")
            put(part.shown, strlen(part.shown))
            put("; the same command goes on from there\n")
        }
    }

    /// `12.3 MiB are`, rounded down.
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
        // On the stack: handlers of two signals may be at it at once. Room for all 20 digits.
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

    /// That nobody reads it is no error.
    private static func put(_ start: UnsafeRawPointer, _ count: Int) { _ = write(2, start, count) }
}

#endif
