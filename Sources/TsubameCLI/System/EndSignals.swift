// EndSignals: handles SIGINT, SIGTERM and SIGPIPE: as events, and to clean up before the process ends.

import Dispatch
import Synchronization
import TsubamePlatform

/// The names of files that an interrupted program must remove. The signal handler reads them and must not allocate or
/// lock, so it may miss a file that is being added at that moment. Written under the lock of `slots`.
private nonisolated(unsafe) let unfinishedFiles = {
    let names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: unfinishedCapacity)
    names.initialize(repeating: nil, count: unfinishedCapacity)
    return names
}()
private let unfinishedCapacity = 64

/// A terminal whose settings are changed, and its original settings. The handler reads them. The main thread writes
/// them, the flag last.
private nonisolated(unsafe) var changedTerminal: Int32 = -1
private nonisolated(unsafe) let originalSettings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
private nonisolated(unsafe) let areSettingsChanged = {
    let flag = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    flag.initialize(to: false)
    return flag
}()

/// The globals that the handler reads. The first use of each allocates it. In the handler, that would wait for ever if the
/// signal came during another allocation.
private struct HandlerMemory {
    let files: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    let areSettingsChanged: UnsafeMutablePointer<Bool>
    let settings: UnsafeMutablePointer<termios>
}

/// Set before the handler is installed. Written under the lock of `slots`.
private nonisolated(unsafe) var ready: HandlerMemory?

private func removeUnfinishedFiles() {
    guard let ready else { return }
    for slot in 0..<unfinishedCapacity {
        if let path = ready.files[slot] { unlink(path) }
    }
}

private func restoreTerminal() {
    guard let ready, ready.areSettingsChanged.pointee else { return }
    _ = tcsetattr(changedTerminal, TCSAFLUSH, ready.settings)
}

private let slots = Mutex(())

/// Run before a signal or a closed pipe ends the process. Held while they run.
private let lastSaves = Mutex<[@Sendable () -> Void]>([])

/// The end of a pipe by which the signal handler wakes the thread that runs them; -1 if there is nothing to save, or if a signal
/// has come.
private let saverPipe = Atomic<Int32>(-1)

enum EndSignals {
    /// How long a source may take until it receives signals, in milliseconds. Where no thread can be started, it
    /// never does.
    private static let longestRegistration = 1_000

    /// Calls `handler` with the signal's number instead of ending the process. The caller must keep the sources.
    static func observe(_ handler: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            let isRegistered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { isRegistered.signal() }
            source.setEventHandler { handler(number) }
            source.resume()
            // A signal is lost until the source receives it, so the caller goes on after that.
            _ = isRegistered.wait(timeout: .now() + .milliseconds(longestRegistration))
            return source
        }
    }

    /// Runs `body`. If a signal or a closed pipe ends the process meanwhile, `save` runs first. A second signal ends the process
    /// at once.
    static func saving<R>(_ save: @escaping @Sendable () -> Void, _ body: () throws -> R) rethrows -> R {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return try body() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (reading, writing) = (ends[0], ends[1])
        lastSaves.withLock { $0.append(save) }
        tidyUpBeforeTheEnd()
        saverPipe.store(writing, ordering: .sequentiallyConsistent)
        // A write into a closed pipe then fails, which ends the process by `endByBrokenPipe()`.
        signal(SIGPIPE, SIG_IGN)
        DispatchQueue(label: "tsubame.end").async {
            var number: UInt8 = 0
            while read(reading, &number, 1) != 1 {}
            runLastSaves()
            tidyUp()
            endAsInterrupted(by: Int32(number))
        }
        defer {
            let isInterrupted = saverPipe.exchange(-1, ordering: .sequentiallyConsistent) < 0
            // The thread of the saver ends the process.
            while isInterrupted { _ = pause() }
            lastSaves.withLock { $0 = [] }
        }
        return try body()
    }

    /// Runs `body`, during which no signal but a second one ends the process.
    static func uninterrupted<R>(_ body: () throws -> R) rethrows -> R { try lastSaves.withLock { _ in try body() } }

    private static func runLastSaves() {
        lastSaves.withLock { saves in
            for save in saves { save() }
            saves = []
        }
    }

    private static func tidyUp() {
        removeUnfinishedFiles()
        restoreTerminal()
        KeptParts.tell()
    }

    /// Has the file removed if the process is interrupted.
    static func removeWhenInterrupted(_ path: String) {
        slots.withLock { _ in
            guard let slot = (0..<unfinishedCapacity).first(where: { unfinishedFiles[$0] == nil }) else { return }
            unfinishedFiles[slot] = strdup(path)
        }
        tidyUpBeforeTheEnd()
    }

    /// Runs `body` while the terminal has other settings. The terminal gets `settings` back, however the process ends.
    static func restoring<R>(_ settings: termios, of terminal: Int32, _ body: () throws -> R) rethrows -> R {
        changedTerminal = terminal
        originalSettings.initialize(to: settings)
        areSettingsChanged.pointee = true
        tidyUpBeforeTheEnd()
        defer {
            restoreTerminal()
            areSettingsChanged.pointee = false
        }
        return try body()
    }

    /// Installs the handlers, once. A signal that the process ignores stays ignored.
    static func tidyUpBeforeTheEnd() {
        slots.withLock { _ in
            if ready == nil { install() }
        }
    }

    private static func install() {
        ready = HandlerMemory(
            files: unfinishedFiles, areSettingsChanged: areSettingsChanged, settings: originalSettings)
        // The handler must not be the first to use it.
        saverPipe.store(-1, ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            let before = signal(number) { number in
                let code = errno
                let saver = saverPipe.exchange(-1, ordering: .sequentiallyConsistent)
                var byte = UInt8(truncatingIfNeeded: number)
                if saver >= 0, write(saver, &byte, 1) == 1 {
                    errno = code
                    return
                }
                EndSignals.tidyUp()
                errno = code
                signal(number, SIG_DFL)
                raise(number)
            }
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }

    /// Keeps a file that is finished or gone from being removed.
    static func keep(_ path: String) {
        slots.withLock { _ in
            // The name is not freed, because the handler may be reading it.
            for slot in 0..<unfinishedCapacity {
                if let name = unfinishedFiles[slot], strcmp(name, path) == 0 { unfinishedFiles[slot] = nil }
            }
        }
    }

    /// Ends the process as a signal does; by default as Ctrl-C.
    static func endAsInterrupted(by number: Int32 = SIGINT) {
        signal(number, SIG_DFL)
        // Dispatch's own threads block all signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }

    /// Ends the process as a write into a closed pipe would, if that signal is switched off.
    static func endByBrokenPipe() {
        runLastSaves()
        removeUnfinishedFiles()
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }
}
