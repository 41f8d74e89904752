// UnfinishedFile: the unfinished file of another program, which a download continues.

import TsubameCore
import TsubamePlatform

/// A file with the download's name that is shorter than the server's. It stays as it is until the download is complete:
/// its bytes are copied.
struct UnfinishedFile: Sendable {
    /// The file as it was found. A record keeps it, so that a later call can replace the file.
    struct Identity: Codable, Sendable, Equatable {
        let size: Int64
        let modified: Int64
        let device: UInt64
        let inode: UInt64

        init(_ status: FileStatus) {
            (size, modified, device, inode) = (status.size, status.modified, status.device, status.inode)
        }
    }

    /// The bytes of the beginning that are compared with the server's.
    static let comparedBeginning: Int64 = 1 << 20
    /// The bytes of the end that are compared too, if the beginning is not the whole file.
    static let comparedEnd: Int64 = 64 << 10

    let path: String
    let identity: Identity

    var size: Int64 { identity.size }

    /// Whether the file is still the one that was found.
    var isUnchanged: Bool { FileStatus(of: path, followsLinks: false).map(Identity.init) == identity }

    /// Whether the file holds the bytes of a body.
    /// - Parameter span: the positions of the body's first bytes. Bytes behind its end are not read.
    func holds(_ body: ResponseBody, at span: Range<Int64>) async throws(CallError) -> Bool {
        var position = span.lowerBound
        for try await piece in body {
            let count = Int(min(Int64(piece.count), span.upperBound &- position))
            let mine = try? read { file throws(CallError) in try self.piece(of: file, at: position, count: count) }
            guard let mine, mine == piece.slice(0..<count) else { return false }
            position &+= Int64(count)
            if position >= span.upperBound { return true }
        }
        return false
    }

    /// Copies the bytes of the file.
    /// - Parameter goesOn: called now and then; throws to give up.
    func copy(to part: DownloadPart, while goesOn: () throws(CallError) -> Void) throws(CallError) {
        try read { file throws(CallError) in
            var position: Int64 = 0
            while position < size {
                try goesOn()
                let bytes = try piece(of: file, at: position, count: Int(min(size &- position, 1 << 20)))
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
