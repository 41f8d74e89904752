// FileDigest: the SHA-256 digest of a file.

import TsubameCore
import TsubamePlatform
import TsubameWire

enum FileDigest {
    /// The SHA-256 digest of an open file, from its beginning.
    /// - Parameters:
    ///   - path: the path for the text of an error.
    ///   - goesOn: called now and then; throws to give up.
    static func sha256(
        of descriptor: Int32, _ path: String, while goesOn: () throws(CallError) -> Void
    ) throws(CallError) -> [UInt8] {
        var running = SHA256.Running()
        var position: Int64 = 0
        while true {
            try goesOn()
            let piece = try Bytes(capacity: 256 << 10) { buffer throws(CallError) in
                let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
                guard count >= 0 else { throw DownloadPart.failure("the file \(path) cannot be read", errno) }
                return count
            }
            if piece.count == 0 { return running.finish() }
            piece.withUnsafeBytes { running.update($0) }
            position &+= Int64(piece.count)
        }
    }

    /// The SHA-256 digest of the file at a path.
    static func sha256(
        of path: String, while goesOn: () throws(CallError) -> Void
    ) throws(CallError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw DownloadPart.failure("the file \(path) cannot be read", errno) }
        defer { _ = close(file) }
        return try sha256(of: file, path, while: goesOn)
    }
}
