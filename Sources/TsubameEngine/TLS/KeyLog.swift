// KeyLog: a file of TLS secrets, in the format that Wireshark reads.

import NIOConcurrencyHelpers
import NIOCore
import TsubameCore
import TsubamePlatform

/// Lines are appended, so that several clients and programs may share the file; only its owner may read it.
///
/// The file may be a named pipe. It is then opened for both directions, so that a reader that goes away does not end the
/// process (SIGPIPE). Nothing waits for a slow reader: a line that does not fit is lost.
final class KeyLog: Sendable {
    private let descriptor: CInt
    private let lock = NIOLock()

    init(_ path: String) throws {
        let isPipe = FileStatus(of: path)?.kind == .pipe
        let direction = isPipe ? O_RDWR : O_WRONLY
        descriptor = open(path, direction | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0o600)
        // One that was there before may have been open to others; a device or a pipe is somebody else's.
        guard descriptor >= 0, FileStatus(of: descriptor)?.kind != .regular || fchmod(descriptor, 0o600) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw CallError(
                .file, "connection.tls.keyLogFile cannot be opened: \(path): \(String(cString: strerror(errno)))",
                phase: .securing)
        }
    }

    deinit { close(descriptor) }

    /// One line with its end, in one write.
    func write(_ line: ByteBuffer) {
        var bytes = Array(line.readableBytesView)
        if bytes.last != 0x0A { bytes.append(0x0A) }
        lock.withLock {
            // A disk or a pipe that is full must not end the connection.
            _ = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
        }
    }
}

private let systemWrite: @Sendable (CInt, UnsafeRawPointer?, Int) -> Int = { write($0, $1, $2) }
