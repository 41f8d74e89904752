// BodyPipe: the body of a request on its way to FoundationNetworking.
#if canImport(FoundationNetworking)

import Foundation
import Tsubame

/// Keeps a body in a file until it is complete. FoundationNetworking reads a stream on a queue that all sessions of the process
/// share, so a source that makes it wait would hold up every one of them.
final class BodyPipe: Sendable {
    /// A longer body is refused, since a source may have no end.
    static let mostBytes: Int64 = 4 << 30

    let file: URL

    /// Reads the body to its end.
    init(
        _ body: RequestBodyReader, in folder: URL = FileManager.default.temporaryDirectory,
        mostBytes: Int64 = BodyPipe.mostBytes
    ) async throws(CallError) {
        file = folder.appending(path: "tsubame-\(UUID().uuidString)")
        guard
            FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: file.path)
        else {
            throw Self.noSpace(in: file, nil)
        }
        var count: Int64 = 0
        while let piece = try await body.next() {
            count += Int64(piece.count)
            guard count <= mostBytes else {
                throw CallError(
                    .limitExceeded, "URLSession on this system sends no body of more than \(mostBytes) bytes",
                    phase: .sendingBody, advice: "use another transport for this request, such as the built-in engine")
            }
            do {
                try handle.write(contentsOf: Data(piece))
            } catch {
                throw Self.noSpace(in: file, error)
            }
        }
        try? handle.close()
    }

    private static func noSpace(in file: URL, _ error: (any Error)?) -> CallError {
        CallError(
            .file, "the body cannot be kept in \(file.path)", phase: .sendingBody,
            advice: "set TMPDIR to a folder that has room", underlying: error)
    }

    deinit { try? FileManager.default.removeItem(at: file) }
}
#endif
