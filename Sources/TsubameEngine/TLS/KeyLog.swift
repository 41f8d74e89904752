// KeyLog: a file of TLS secrets, in the format that Wireshark reads.

import NIOConcurrencyHelpers
import NIOCore
import TsubameCore
import TsubamePlatform

/// Lines are appended, so that several clients and programs may share the file; only its owner may read it.
///
/// The file may be a named pipe that a program reads. Nothing waits for a slow reader: a line that does not fit is lost, and so
/// are all lines after the reader has gone away.
final class KeyLog: Sendable {
    private let descriptor: CInt
    private let lock = NIOLock()

    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0o600)
        // One that was there before may have been open to others; a device or a pipe is somebody else's.
        guard descriptor >= 0, FileStatus(of: descriptor)?.kind != .regular || fchmod(descriptor, 0o600) == 0 else {
            let problem = errno == ENXIO ? "no program reads this pipe" : String(cString: strerror(errno))
            throw CallError(
                .file, "connection.tls.keyLogFile cannot be opened: \(path): \(problem)", phase: .securing)
        }
    }

    // Swift also runs this after the initialiser has thrown.
    deinit { if descriptor >= 0 { close(descriptor) } }

    /// One line with its end, in one write.
    func write(_ line: ByteBuffer) {
        var bytes = Array(line.readableBytesView)
        if bytes.last != 0x0A { bytes.append(0x0A) }
        lock.withLock {
            // A disk or a pipe that is full must not end the connection.
            Self.withoutSignal { bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) } }
        }
    }

    /// Keeps the signal of a pipe without a reader, which would end the process, from the current thread.
    private static func withoutSignal(_ write: () -> Int) {
        var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        let isBroken = write() < 0 && errno == EPIPE
        if isBroken, !wasPending {
            sigpending(&pending)
            var signal: CInt = 0
            // An ignored signal does not become pending.
            if sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipe, &signal) }
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

private let systemWrite: @Sendable (CInt, UnsafeRawPointer?, Int) -> Int = { write($0, $1, $2) }
