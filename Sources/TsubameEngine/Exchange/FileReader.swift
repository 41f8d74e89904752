// FileReader: reads a file piece by piece on a thread that may block.

import NIOCore
import NIOPosix
package import TsubameCore
package import TsubamePlatform

/// The body of a request that lies in a file.
// The descriptor is used by one `next()` at a time and closed in `deinit`.
package final class FileReader: BodyReader, @unchecked Sendable {
    private static let pieceBytes = 128 << 10

    /// In bytes, as it was when the file was opened.
    package let length: Int64
    private let descriptor: Int32
    private let path: String

    private init(descriptor: Int32, length: Int64, path: String) {
        self.descriptor = descriptor
        self.length = length
        self.path = path
    }

    deinit { _ = close(descriptor) }

    static func open(_ path: String, on loop: any EventLoop) -> EventLoopFuture<FileReader> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try openNow(path) }
    }

    /// - Parameter offset: where reading begins, in bytes.
    package static func open(_ path: String, from offset: Int64 = 0) async throws(CallError) -> FileReader {
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                let file = try openNow(path)
                if offset > 0 { try file.seek(to: offset) }
                return file
            }
        } catch let error as CallError {
            throw error
        } catch {
            throw CallError(.cancelled, "the call was cancelled", phase: .preparing, underlying: error)
        }
    }

    /// The length in bytes of a regular file that can be read.
    package static func length(of path: String) throws(CallError) -> Int64 { try openNow(path).length }

    /// The first bytes of a regular file, read now; fewer than `count` only if it has no more.
    package static func beginning(of path: String, count: Int) throws -> Bytes {
        let file = try openNow(path)
        var pieces: [Bytes] = []
        var total = 0
        while total < count, let piece = try file.readNow() {
            pieces.append(piece)
            total += piece.count
        }
        return Bytes(joining: pieces).slice(0..<count)
    }

    private static func openNow(_ path: String) throws(CallError) -> FileReader {
        // O_NONBLOCK, since a pipe's opening would otherwise wait for a writer; to a file it means nothing.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        let descriptor = SystemCall.open(path, flags)
        guard descriptor >= 0 else {
            throw CallError(.requestBody, "the file \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            _ = close(descriptor)
            throw CallError(.requestBody, "\(path) is not a regular file")
        }
        return FileReader(descriptor: descriptor, length: Int64(status.st_size), path: path)
    }

    private func seek(to offset: Int64) throws(CallError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw CallError(.requestBody, "the file \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
    }

    /// The state of the file that was opened. Another file may have its name by now.
    package var status: FileStatus? { FileStatus(of: descriptor) }

    package func next() async throws -> Bytes? {
        try await NIOThreadPool.singleton.runIfActive { try self.readNow() }
    }

    private func readNow() throws -> Bytes? {
        let bytes = try Bytes(capacity: Self.pieceBytes) { buffer throws(CallError) in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                if errno == EINTR { continue }
                throw CallError(
                    .requestBody, "the file \(path) cannot be read: \(String(cString: strerror(errno)))",
                    phase: .sendingBody)
            }
        }
        return bytes.count > 0 ? bytes : nil
    }
}
