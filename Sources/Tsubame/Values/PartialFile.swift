// PartialFile: a file that is written piece by piece, and renamed when it is complete.

import TsubameCore
import TsubamePlatform

struct PartialFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private let request: Request

    /// Creates the file, with the permissions of the target if there is one. A file that few users may read must
    /// never have been readable by all.
    init(_ path: String, inPlaceOf target: String, _ request: Request) throws(CallError) {
        let mode = FileStatus(of: target).map { mode_t(truncatingIfNeeded: $0.permissions) }
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
        self.path = path
        self.request = request
        guard descriptor >= 0 else { throw Self.error("made", path, request, errno) }
        // The umask may have removed permissions.
        if let mode { fchmod(descriptor, mode) }
    }

    deinit { _ = close(descriptor) }

    func write(_ bytes: Bytes) throws(CallError) {
        let code = bytes.withUnsafeBytes { FileOutput.write($0, to: descriptor).error }
        guard code == 0 else { throw Self.error("written", path, request, code) }
    }

    func finish(renamingTo target: String) throws(CallError) {
        let code = FileOutput.replace(target, by: path, descriptor)
        guard code == 0 else { throw Self.error("renamed to \(target)", path, request, code) }
    }

    private static func error(_ what: String, _ path: String, _ request: Request, _ code: Int32) -> CallError {
        CallError(
            .file, "the file \(path) cannot be \(what): \(String(cString: strerror(code)))", phase: .receivingBody,
            request: request)
    }
}
