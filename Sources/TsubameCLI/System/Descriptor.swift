// Descriptor: an open file of this process, with its reads and writes.

import Tsubame
import TsubamePlatform

/// An open file, by its number.
struct Descriptor: Sendable {
    enum Kind {
        case regular, pipe, socket, terminal, other, closed
    }

    static let input = Descriptor(number: 0)
    static let output = Descriptor(number: 1)
    static let errors = Descriptor(number: 2)

    let number: Int32

    /// Opens a file for reading.
    /// - Parameter waits: whether to wait for the writer of a named pipe.
    static func reading(_ path: String, waits: Bool = true) throws(SystemError) -> Descriptor {
        let flags = O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)
        let file = try Descriptor(opened: open(path, flags), "the file \(path) cannot be read")
        // A folder can be opened, and fails only when it is read.
        if FileStatus(of: file.number)?.kind == .folder {
            file.shut()
            throw SystemError("the file \(path) cannot be read", code: EISDIR)
        }
        return file
    }

    /// Opens a file for writing, or creates it with this mode, less the umask. An existing file is an error if `isNew`,
    /// and otherwise truncated.
    static func writing(_ path: String, isNew: Bool, mode: mode_t = 0o666) throws(SystemError) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL : O_TRUNC)
        return try Descriptor(opened: open(path, flags, mode), "the file \(path) cannot be written")
    }

    init(number: Int32) { self.number = number }

    /// Occupies the numbers of closed standard streams, so that no file opened later is taken for one of them. The
    /// placeholders can be neither read nor written.
    static func reserveStandardStreams() {
        for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    private init(opened number: Int32, _ what: String) throws(SystemError) {
        guard number >= 0 else { throw SystemError(what) }
        self.number = number
    }

    func shut() { _ = close(number) }

    var isTerminal: Bool { isatty(number) == 1 }

    var kind: Kind {
        switch FileStatus(of: number)?.kind {
        case nil: .closed
        case .regular: .regular
        case .pipe: .pipe
        case .socket: .socket
        case .folder, .other: isTerminal ? .terminal : .other
        }
    }

    /// Whether nothing has been read from the file yet.
    var isAtStart: Bool { lseek(number, 0, SEEK_CUR) == 0 }

    /// The number of bytes of a regular file from the current position to its end.
    var remainingBytes: Int64 {
        guard let size = FileStatus(of: number)?.size else { return 0 }
        return max(0, size - max(0, Int64(lseek(number, 0, SEEK_CUR))))
    }

    /// Whether there is something to read within this time, or the end of the file.
    func isReadable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) != 0
    }

    /// Whether a pipe or a socket holds unread bytes.
    var hasBytes: Bool {
        var count: Int32 = 0
        return ioctl(number, numericCast(Self.waitingBytes), &count) == 0 && count > 0
    }

    #if canImport(Darwin)
    /// The value of `FIONREAD`, whose macro Swift cannot import.
    private static let waitingBytes: UInt = 0x4004_667F
    #else
    private static let waitingBytes = FIONREAD
    #endif

    /// The next bytes, at most `capacity`; empty at the end. Waits for them.
    func readPiece(_ capacity: Int) throws(SystemError) -> Bytes {
        try Bytes(capacity: capacity) { buffer throws(SystemError) in
            while true {
                let count = read(number, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                if errno == EAGAIN {
                    _ = isReadable(within: -1)
                } else if errno != EINTR {
                    throw SystemError(self.number == 0 ? "the standard input cannot be read" : "a file cannot be read")
                }
            }
        }
    }

    /// Everything up to the end; nil if that is more than a number of bytes.
    func readAll(atMost limit: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while case let piece = try readPiece(64 << 10), piece.count > 0 {
            bytes.append(contentsOf: piece)
            if bytes.count > limit { return nil }
        }
        return bytes
    }

    /// Writes all bytes, and waits if the reader is slow.
    func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = write(number, piece.baseAddress, piece.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            } else if errno != EINTR {
                throw SystemError("the output cannot be written")
            }
        }
    }

    func writeAll(_ text: String) throws(SystemError) {
        var text = text
        let result: Result<Void, SystemError> = text.withUTF8 { bytes in
            do throws(SystemError) {
                return .success(try writeAll(UnsafeRawBufferPointer(bytes)))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
