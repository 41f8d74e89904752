// UploadSource: the content of an upload, which can be read from any position, any number of times.

import TsubameCore
import TsubamePlatform

/// Bytes, or a file that must not change after the upload has begun.
struct UploadSource: Sendable {
    fileprivate enum Origin: Sendable {
        case bytes(Bytes)
        case file(path: String, FileStatus)
    }

    /// The length in bytes.
    let length: Int64
    fileprivate let origin: Origin

    /// nil for a body that cannot be read from any position: a stream, or a body with trailers.
    /// - Throws: ``CallError/Kind/requestBody`` if the file cannot be read.
    init?(_ body: RequestBody) throws(CallError) {
        guard body.trailers == nil else { return nil }
        switch body.content {
        case .bytes(let bytes):
            (origin, length) = (.bytes(bytes), Int64(bytes.count))
        case .file(let path):
            // This throws the reason if the file cannot be read.
            let count = try FileReader.length(of: path)
            guard let status = FileStatus(of: path), status.size == count else { throw Self.changed(path) }
            (origin, length) = (.file(path: path, status), count)
        case .stream, .deferred, .failed, nil:
            return nil
        }
    }

    /// The path of the file and its status when the upload began; nil for bytes in memory.
    var file: (path: String, status: FileStatus)? {
        if case .file(let path, let status) = origin { (path, status) } else { nil }
    }

    /// The bytes of a span, as the content of a body.
    func content(_ span: Range<Int64>, _ state: UploadState) -> RequestBody.Content {
        .stream(open: { UploadReader(self, span, state) }, isOneShot: false)
    }

    fileprivate static func changed(_ path: String) -> CallError {
        CallError(
            .requestBody, "the file \(path) has changed since its upload began", phase: .sendingBody,
            advice: "upload it again from the beginning")
    }
}

/// Reads the bytes of a span. It checks before the first byte and after the last one that the file is still the
/// same. The engine sends the last bytes only after this reader has reached the end.
// `file` and `position` are used by one sender at a time, which awaits each `next()` before the following one.
private final class UploadReader: BodyReader, @unchecked Sendable {
    private static let pieceBytes: Int64 = 64 << 10

    private let source: UploadSource
    private let state: UploadState
    private let end: Int64
    private var position: Int64
    private var file: FileReader?

    init(_ source: UploadSource, _ span: Range<Int64>, _ state: UploadState) {
        self.source = source
        self.state = state
        position = span.lowerBound
        end = span.upperBound
    }

    func next() async throws -> Bytes? {
        if let failure = state.failure { throw failure }
        let piece: Bytes
        switch source.origin {
        case .bytes(let bytes):
            guard position < end else { return nil }
            piece = bytes.slice(Int(position)..<Int(min(end, position &+ Self.pieceBytes)))
        case .file(let path, let status):
            guard let next = try await read(path, status) else { return nil }
            piece = next
        }
        position &+= Int64(piece.count)
        state.give(upTo: position)
        return piece
    }

    private func read(_ path: String, _ status: FileStatus) async throws -> Bytes? {
        let file: FileReader
        if let open = self.file {
            file = open
        } else {
            file = try await FileReader.open(path, from: position)
            self.file = file
            try check(file, path, status)
        }
        guard position < end else {
            try check(file, path, status)
            return nil
        }
        guard let piece = try await file.next() else { throw UploadSource.changed(path) }
        return piece.slice(0..<Int(min(Int64(piece.count), end &- position)))
    }

    private func check(_ file: FileReader, _ path: String, _ status: FileStatus) throws(CallError) {
        guard let now = file.status, now.device == status.device, now.inode == status.inode, now.size == status.size,
            now.modified == status.modified
        else { throw UploadSource.changed(path) }
    }
}
