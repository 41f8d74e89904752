// FileReader: reads a file piece by piece on a thread that may block.

import Dispatch
import Synchronization
import TsubameCore
import TsubamePlatform

/// The body of a request that lies in a file.
// One `next()` at a time moves the position.
final class FileReader: RewindableReader, @unchecked Sendable {
    /// Closes its descriptor with the last reader.
    private final class OpenFile: Sendable {
        let descriptor: Int32
        let path: String

        init(_ descriptor: Int32, _ path: String) {
            self.descriptor = descriptor
            self.path = path
        }

        deinit { _ = close(descriptor) }

        func unreadable(_ phase: CallError.Phase = .preparing) -> CallError {
            let reason = String(cString: strerror(errno))
            return CallError(.requestBody, "the file \(path) cannot be read: \(reason)", phase: phase)
        }
    }

    private static let pieceBytes = 128 << 10
    /// Where the files of bodies are read. So few serial queues, and no concurrent one: files that do not answer, as on a lost
    /// network volume, must not take the threads on which tasks run. A file that hangs delays those of its queue.
    static let queues = (0..<4).map { DispatchQueue(label: "tsubame.files.\($0)") }
    private static let opened = Atomic(0)

    /// In bytes, as it was when the file was opened.
    let length: Int64
    private let file: OpenFile
    private let queue: DispatchQueue
    private var position: Int64

    private init(_ file: OpenFile, on queue: DispatchQueue, length: Int64, from position: Int64) {
        self.file = file
        self.queue = queue
        self.length = length
        self.position = position
    }

    /// - Parameter offset: where reading begins, in bytes.
    static func open(_ path: String, from offset: Int64 = 0) async throws(CallError) -> FileReader {
        let queue = nextQueue
        return try await run(on: queue) { () throws(CallError) in try openNow(path, from: offset, on: queue) }
    }

    /// Opens the file for a call. The call's cancellation and its deadline end the wait, though the system goes on.
    static func open(_ path: String, for call: Call) async throws(CallError) -> FileReader {
        let queue = nextQueue
        return try await BlockingWork.run(on: queue, call, endsWithTask: true) {
            Result { () throws(CallError) in try openNow(path, on: queue) }
        }.get()
    }

    private static var nextQueue: DispatchQueue {
        queues[opened.wrappingAdd(1, ordering: .relaxed).oldValue & (queues.count - 1)]
    }

    private static func run<T: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable () throws(CallError) -> T
    ) async throws(CallError) -> T {
        let result: Result<T, CallError> = await withUnsafeContinuation { continuation in
            queue.async { continuation.resume(returning: Result { () throws(CallError) in try work() }) }
        }
        return try result.get()
    }

    /// The length in bytes of a regular file that can be read.
    static func length(of path: String) throws(CallError) -> Int64 { try openNow(path).length }

    /// The first bytes of a regular file, read now; fewer than `count` only if it has no more.
    static func beginning(of path: String, count: Int) throws(CallError) -> Bytes {
        let reader = try openNow(path)
        var pieces: [Bytes] = []
        var total = 0
        while total < count, let piece = try reader.readNow() {
            pieces.append(piece)
            total += piece.count
        }
        return Bytes(joining: pieces).slice(0..<count)
    }

    private static func openNow(
        _ path: String, from offset: Int64 = 0, on queue: DispatchQueue = queues[0]
    ) throws(CallError) -> FileReader {
        // O_NONBLOCK, since a pipe's opening would otherwise wait for a writer; to a file it means nothing.
        let file = OpenFile(SystemCall.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path)
        guard file.descriptor >= 0 else { throw file.unreadable() }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CallError(.requestBody, "\(path) is not a regular file")
        }
        return FileReader(file, on: queue, length: Int64(status.st_size), from: offset)
    }

    /// The state of the file that was opened. Another file may have its name by now.
    var status: FileStatus? { FileStatus(of: file.descriptor) }

    func rewound() -> any BodyReader { FileReader(file, on: queue, length: length, from: 0) }

    func next() async throws -> Bytes? {
        try await Self.run(on: queue) { () throws(CallError) in try self.readNow() }
    }

    private func readNow() throws(CallError) -> Bytes? {
        let bytes = try Bytes(capacity: Self.pieceBytes) { buffer throws(CallError) in
            while true {
                let count = pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(position))
                if count >= 0 { return count }
                if errno != EINTR { throw file.unreadable(.sendingBody) }
            }
        }
        position += Int64(bytes.count)
        return bytes.count > 0 ? bytes : nil
    }
}
