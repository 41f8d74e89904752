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

/// A file by its name for the system, and for whoever reads of it; no name if the slot is free.
private struct KeptPart {
    var path: UnsafeMutablePointer<CChar>?
    var shown: UnsafeMutablePointer<CChar>?
    /// Whether its length says how much has come.
    var isGapless = true
}

/// Read by the signal handler, which may use nothing that allocates or locks; the path is written last, and taken away first.
/// Written under the lock of `slots`.
private nonisolated(unsafe) let parts = {
    let parts = UnsafeMutablePointer<KeptPart>.allocate(capacity: capacity)
    parts.initialize(repeating: KeptPart(), count: capacity)
    return parts
}()
/// Where the handler writes numbers.
private nonisolated(unsafe) let digits = {
    let digits = UnsafeMutablePointer<UInt8>.allocate(capacity: digitCapacity)
    digits.initialize(repeating: 0, count: digitCapacity)
    return digits
}()
private let digitCapacity = 20
/// Whether both have been made, which a handler must not do. Written under the lock of `slots`.
private nonisolated(unsafe) var isUsed = false

private let slots = Mutex(())

enum KeptParts {
    /// From now on the file is told of when the process is interrupted.
    /// - Parameter isGapless: whether its length says how much has come.
    static func add(_ path: String, isGapless: Bool) {
        digits.pointee = 0x30
        slots.withLock { _ in
            guard let slot = (0..<capacity).first(where: { parts[$0].path == nil }) else { return }
            parts[slot].shown = strdup(Canvas.visible(path))
            parts[slot].isGapless = isGapless
            parts[slot].path = strdup(path)
            isUsed = true
        }
        EndSignals.tidyUpBeforeTheEnd()
    }

    /// The file is finished, or gone.
    static func remove(_ path: String) {
        slots.withLock { _ in
            // The names themselves stay in memory: the handler may be reading them.
            for slot in 0..<capacity {
                if let name = parts[slot].path, strcmp(name, path) == 0 { parts[slot].path = nil }
            }
        }
    }

    /// By a signal handler.
    static func tell() {
        guard isUsed else { return }
        for slot in 0..<capacity {
            let part = parts[slot]
            var status = stat()
            guard let path = part.path, let shown = part.shown, lstat(path, &status) == 0, status.st_size > 0 else {
                continue
            }
            // Bars may stand in the line.
            if isatty(2) == 1 { put("\n") }
            put("tsubame: ")
            if part.isGapless { put(size: UInt64(status.st_size)) } else { put("what came is") }
            put(" kept in ")
            put(shown, strlen(shown))
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
        var (rest, start) = (number, digitCapacity)
        repeat {
            start -= 1
            digits[start] = UInt8(truncatingIfNeeded: 0x30 &+ rest % 10)
            rest /= 10
        } while rest > 0 && start > 0
        put(digits + start, digitCapacity - start)
    }

    private static func put(_ text: StaticString) { put(text.utf8Start, text.utf8CodeUnitCount) }

    /// That nobody reads it is no error.
    private static func put(_ start: UnsafeRawPointer, _ count: Int) { _ = write(2, start, count) }
}

#endif
