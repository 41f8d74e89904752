// UploadRecord: the saved place at which a later process can continue an upload.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Dispatch
import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameWire

/// Kept in a folder that only its owner reads, because the URL of an upload resource may be a secret.
struct UploadRecord: Codable, Sendable, Equatable {
    private static let maximumBytes = 64 << 10

    /// The upload resource.
    let resource: String
    /// The length of the file in bytes, and its time of change in nanoseconds since 1970.
    let length: Int64
    let modified: Int64

    init(_ resource: UploadResource, of file: FileStatus) {
        self.resource = resource.uri.string
        (length, modified) = (file.size, file.modified)
    }

    /// nil if there is no readable record.
    init?(path: String) {
        guard let bytes = RecordFile.read(path, limit: Self.maximumBytes),
            let record = try? JSONDecoder().decode(UploadRecord.self, from: Data(bytes))
        else { return nil }
        self = record
    }

    func isOf(_ file: FileStatus) -> Bool { length == file.size && modified == file.modified }

    /// - Returns: the reason why the record could not be saved.
    func write(to path: String) -> String? {
        guard let data = try? JSONEncoder().encode(self) else { return "it cannot be encoded" }
        let failure = data.withUnsafeBytes { RecordFile.write($0, to: path, onDisk: true) }
        return failure.map { "\($0.path): \(String(cString: strerror($0.error)))" }
    }
}

/// The records of uploads, one for each file and URL, for the command-line tool.
package struct UploadRecords: Sendable {
    /// The folder of the records, which must exist.
    private let folder: String
    /// Whether an upload continues an earlier one of the same file to the same URL.
    let continues: Bool

    package init(folder: String, continues: Bool) {
        self.folder = folder
        self.continues = continues
    }

    /// The path of the record. The query does not count, because a URL may be signed anew.
    func path(for request: Request, file: String) -> String? {
        guard let uri = request.uri else { return nil }
        let text = "\(request.method.rawValue) \(uri.origin)\(uri.path)\n\(FilePath.absolute(file))"
        return "\(folder)/\(Hexadecimal.text(SHA256.digest(Array(text.utf8)).prefix(12))).json"
    }
}

/// The record of one running upload.
final class UploadJournal: Sendable {
    private struct State: Sendable {
        var isSaved = false
        var isOver = false
    }

    /// Writes the record, because the resource becomes known on an event loop.
    private let queue = DispatchQueue(label: "tsubame.upload")

    private let path: String
    private let file: FileStatus
    /// Held while the record is written or removed, and so never taken on an event loop.
    private let state = Mutex(State())

    /// nil for an upload that no later process can continue.
    init?(_ records: UploadRecords?, _ request: Request, _ source: UploadSource?) {
        guard let records, let (name, status) = source?.file, let path = records.path(for: request, file: name) else {
            return nil
        }
        self.path = path
        file = status
    }

    /// The record that an earlier process has left, and whether the file is still the same.
    var earlier: (record: UploadRecord, isOfFile: Bool)? {
        UploadRecord(path: path).map { ($0, $0.isOf(file)) }
    }

    /// Whether a later process can continue the upload. It waits until a resource that was taken is saved.
    var isSaved: Bool {
        settle()
        return state.withLock { $0.isSaved }
    }

    /// Takes a resource, which is saved at once, on a queue.
    /// - Parameter done: called after that, with the reason why it could not be saved.
    func take(_ resource: UploadResource, _ done: @escaping @Sendable (String?) -> Void) {
        queue.async { done(self.save(resource)) }
    }

    /// Waits until a resource that was taken is saved. The process may end after that.
    func settle() { queue.sync {} }

    /// - Returns: the reason why the resource could not be saved.
    private func save(_ resource: UploadResource) -> String? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            let problem = UploadRecord(resource, of: file).write(to: path)
            state.isSaved = problem == nil
            return problem
        }
    }

    /// Says that the record of an earlier process is still right.
    func keep() { state.withLock { $0.isSaved = true } }

    /// Removes the record of an earlier process, because its resource is gone.
    func forget() {
        state.withLock { state in
            state.isSaved = false
            unlink(path)
        }
    }

    /// Removes the record, because the upload is complete or cannot continue.
    func remove() {
        state.withLock { state in
            (state.isSaved, state.isOver) = (false, true)
            unlink(path)
        }
    }
}
