// PartialFile: a file that is being written.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import TsubameCore

/// Written piece by piece, renamed when it is whole.
struct PartialFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private let request: Request

    /// Makes the file. It has the permissions of the target from the beginning, if there is one: what takes the place of
    /// a file that not everybody may read must never have been open to everybody.
    init(_ path: String, inPlaceOf target: String, _ request: Request) throws(CallError) {
        var status = stat()
        let mode = stat(target, &status) == 0 ? status.st_mode & 0o777 : nil
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
        self.path = path
        self.request = request
        guard descriptor >= 0 else { throw Self.error("made", path, request) }
        // The umask may have taken something away.
        if let mode { fchmod(descriptor, mode) }
    }

    deinit { _ = close(descriptor) }

    func write(_ bytes: Bytes) throws(CallError) {
        try bytes.withUnsafeBytes { source throws(CallError) in
            var rest = source[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                #if canImport(Glibc)
                let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
                #elseif canImport(Musl)
                let count = Musl.write(descriptor, piece.baseAddress, piece.count)
                #else
                let count = Darwin.write(descriptor, piece.baseAddress, piece.count)
                #endif
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    throw Self.error("written", path, request)
                }
            }
        }
    }

    func finish(renamingTo target: String) throws(CallError) {
        guard rename(path, target) == 0 else { throw Self.error("renamed to \(target)", path, request) }
    }

    private static func error(_ what: String, _ path: String, _ request: Request) -> CallError {
        CallError(
            .file, "the file \(path) cannot be \(what): \(String(cString: strerror(errno)))", phase: .receivingBody,
            request: request)
    }
}
