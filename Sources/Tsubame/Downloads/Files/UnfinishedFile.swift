// UnfinishedFile: the unfinished file of another program, which a download continues.

import TsubameCore
import TsubamePlatform

/// A file with the download's name that is shorter than the server's. It stays as it is until the download is complete:
/// its bytes are copied.
struct UnfinishedFile: Sendable {
    let path: String
    /// The file's status when it was found.
    let status: FileStatus

    /// Whether the file is still the one that was found.
    var isUnchanged: Bool { FileStatus(of: path, followsLinks: false) == status }

    /// Whether the file begins with these bytes. If it is shorter, it must be their beginning.
    func begins(like bytes: Bytes) -> Bool {
        let count = Int(min(Int64(bytes.count), status.size))
        let mine = try? read { file throws(CallError) in try piece(of: file, at: 0, count: count) }
        guard let mine, mine.count == count else { return false }
        return mine == bytes.slice(0..<count)
    }

    /// Copies the bytes of the file.
    /// - Parameter goesOn: called now and then; throws to give up.
    func copy(to part: DownloadPart, while goesOn: () throws(CallError) -> Void) throws(CallError) {
        try read { file throws(CallError) in
            var position: Int64 = 0
            while position < status.size {
                try goesOn()
                let bytes = try piece(of: file, at: position, count: Int(min(status.size &- position, 1 << 20)))
                // The other program has cut the file meanwhile. The bytes that were there are still of use.
                guard bytes.count > 0 else { return }
                try part.write(bytes, at: position)
                position &+= Int64(bytes.count)
            }
        }
    }

    private func read<R>(_ body: (Int32) throws(CallError) -> R) throws(CallError) -> R {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else { throw DownloadPart.failure("the file \(path) cannot be read", errno) }
        defer { _ = close(file) }
        return try body(file)
    }

    private func piece(of file: Int32, at position: Int64, count: Int) throws(CallError) -> Bytes {
        try Bytes(capacity: count) { buffer throws(CallError) in
            let count = pread(file, buffer.baseAddress, buffer.count, off_t(position))
            guard count >= 0 else { throw DownloadPart.failure("the file \(path) cannot be read", errno) }
            return count
        }
    }
}
