// ChildProcess: a process that cannot outlive its owner.

import Foundation
import Synchronization

/// Held while a process starts, and between the creation of a pipe and the moment its ends are marked close-on-exec.
private let starting = Mutex(())

/// A child process, which is killed and reaped at the latest when this object is released.
final class ChildProcess: Sendable {
    /// The exit status of a process; 128 plus the number of the signal that ended it, as in a shell.
    typealias Status = Int32

    /// The terminal at which a process can ask the user, independent of its streams.
    enum Terminal {
        /// The terminal of these tests, if they have one.
        case inherited
        case none
        case named(String)
    }

    #if canImport(Darwin)
    private static let startsSession = Int16(POSIX_SPAWN_SETSID)
    #else
    /// `POSIX_SPAWN_SETSID`, which Swift does not import.
    private static let startsSession: Int16 = 0x80
    #endif

    let pid: pid_t
    /// Held while a signal is sent or the process is reaped, so that no signal reaches another process with the same
    /// number.
    private let status = Mutex<Status?>(nil)

    /// - Parameters:
    ///   - streams: the descriptors of its standard input, output and error, in that order; nil closes a stream. This
    ///     does not close the descriptors.
    ///   - environment: its complete environment.
    ///   - directory: its working directory; by default that of these tests.
    init(
        _ path: String, _ arguments: [String], streams: [Int32?],
        environment: [String: String] = ProcessInfo.processInfo.environment, directory: String? = nil,
        terminal: Terminal = .inherited
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in streams.enumerated() {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            } else {
                posix_spawn_file_actions_addclose(&actions, Int32(number))
            }
        }
        // Restores the signals as in a shell. The child would otherwise inherit the signals that a Dispatch thread
        // blocks, and SIGPIPE, which NIO ignores.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        // A new session has no terminal until its leader opens one.
        if case .inherited = terminal {} else { flags |= Self.startsSession }
        posix_spawnattr_setflags(&attributes, flags)
        if case .named(let name) = terminal {
            posix_spawn_file_actions_addopen(&actions, 3, name, O_RDWR, 0)
            posix_spawn_file_actions_addclose(&actions, 3)
        }

        // Swift does not import the action that changes the directory.
        let inDirectory = directory.map { ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, $0] } ?? []
        let words = inDirectory + [path] + arguments
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid = pid_t()
        let failure = starting.withLock { _ in posix_spawn(&pid, words[0], &actions, &attributes, &argv, &envp) }
        guard failure == 0 else {
            throw ProductError("\(path) cannot be started: \(String(cString: strerror(failure)))")
        }
        self.pid = pid
    }

    deinit {
        send(signal: SIGKILL)
        _ = collect()
    }

    /// Sends a signal, unless the process has been reaped.
    func send(signal: Int32) {
        status.withLock { if $0 == nil { kill(pid, signal) } }
    }

    /// Waits for the end of the process, on a thread that may block.
    func collect() -> Status {
        // Waits without reaping, so that signals can be sent meanwhile.
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return status.withLock { status in
            if let status { return status }
            var result: Int32 = 0
            while waitpid(pid, &result, 0) < 0, errno == EINTR {}
            let signal = result & 0x7F
            let value = signal == 0 ? (result >> 8) & 0xFF : 128 + signal
            status = value
            return value
        }
    }
}

/// A pipe whose ends no other process inherits, even if another process starts at the same time.
struct ProcessPipe {
    let read: Int32
    let write: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        let status = starting.withLock { _ in
            let status = pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return status
        }
        guard status == 0 else { throw ProductError("no pipe can be made") }
        (read, write) = (ends[0], ends[1])
    }
}

/// A named pipe, such as a shell makes for `<(command)`. It is removed when this object is released.
final class NamedPipe: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)").path

    /// - Parameter bytes: the bytes for the first reader; no more than a pipe is guaranteed to hold.
    init(_ bytes: [UInt8]) throws {
        guard bytes.count <= 4096, mkfifo(path, 0o600) == 0 else { throw ProductError("no named pipe can be made") }
        let path = path
        Thread.detachNewThread {
            // This open waits for the reader.
            let end = open(path, O_WRONLY | O_CLOEXEC)
            _ = bytes.withUnsafeBytes { write(end, $0.baseAddress, $0.count) }
            close(end)
        }
    }

    deinit {
        // Releases a thread that waits for a reader that never came.
        let end = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        unlink(path)
        close(end)
    }
}
