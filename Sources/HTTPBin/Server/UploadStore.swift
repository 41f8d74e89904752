// UploadStore: the received bytes of one server's resumable uploads.
#if Server
import Synchronization

/// Bounded: a new upload takes the place of the oldest.
final class UploadStore: Sendable {
    /// The limit in bytes, for one upload and for all uploads together.
    static let byteLimit = 16 << 20
    private static let countLimit = 16

    struct Upload {
        /// The received bytes; empty once the upload is complete.
        var bytes: [UInt8] = []
        /// The number of bytes received.
        var count = 0
        /// The declared length in bytes, if known.
        var length: Int?
        /// The digest of the complete upload, in hexadecimal.
        var digest: String?
        /// The byte counts at which the connection breaks, in order.
        var drops: [Int] = []
        /// The request that may append: the latest one.
        var writer = 0
        var connection: Connection?
    }

    /// The result of appending bytes.
    enum Outcome {
        case kept
        /// The bytes up to the place where the connection has to break were kept.
        case dropped
        /// Another request resumes the upload, or the upload is gone or complete.
        case refused
        case tooMany
    }

    private struct State {
        var uploads: [String: Upload] = [:]
        /// Oldest first.
        var names: [String] = []
        var writers = 0
    }

    private let state = Mutex(State())

    func create(length: Int?, drops: [Int]) -> String {
        let name = String(decoding: Hexadecimal.lowercase(RandomBytes.make(16)), as: UTF8.self)
        state.withLock { state in
            state.uploads[name] = Upload(length: length, drops: drops.sorted())
            state.names.append(name)
            if state.names.count > Self.countLimit { Self.removeFirst(&state) }
        }
        return name
    }

    /// Takes an upload for a request and closes the connection of the request before it, which the client considers
    /// broken off.
    /// - Parameter connection: the connection of the request that resumes the upload.
    func take(_ name: String, for connection: Connection) -> Upload? {
        let (upload, previous) = state.withLock { state -> (Upload?, Connection?) in
            guard var upload = state.uploads[name] else { return (nil, nil) }
            let previous = upload.connection
            state.writers &+= 1
            (upload.writer, upload.connection) = (state.writers, connection)
            state.uploads[name] = upload
            return (upload, previous)
        }
        if let previous, previous !== connection { previous.close() }
        return upload
    }

    func append(_ bytes: [UInt8], to name: String, by writer: Int) -> Outcome {
        state.withLock { state in
            guard var upload = state.uploads[name], upload.writer == writer, upload.digest == nil else {
                return .refused
            }
            var bytes = bytes[...]
            var outcome = Outcome.kept
            if let drop = upload.drops.first, drop - upload.count <= bytes.count {
                bytes = bytes.prefix(max(drop - upload.count, 0))
                upload.drops.removeFirst()
                outcome = .dropped
            }
            guard bytes.count <= (upload.length ?? Self.byteLimit) - upload.count else { return .tooMany }
            state.uploads[name] = nil
            upload.bytes += bytes
            upload.count += bytes.count
            state.uploads[name] = upload
            while state.names.count > 1, state.uploads.values.reduce(0, { $0 + $1.bytes.count }) > Self.byteLimit {
                Self.removeFirst(&state)
            }
            return outcome
        }
    }

    /// Completes an upload. An upload that is shorter than its declared length stays without a digest and may be
    /// resumed.
    func finish(_ name: String, by writer: Int, digest: ([UInt8]) -> String) -> Upload? {
        state.withLock { state in
            guard var upload = state.uploads[name], upload.writer == writer else { return nil }
            guard upload.count == upload.length ?? upload.count else { return upload }
            upload.digest = digest(upload.bytes)
            (upload.bytes, upload.connection) = ([], nil)
            state.uploads[name] = upload
            return upload
        }
    }

    /// Releases the upload from its connection. The connection may carry other requests now, so it must not be closed
    /// for the upload.
    func leave(_ name: String, by writer: Int) {
        state.withLock { state in
            guard state.uploads[name]?.writer == writer else { return }
            state.uploads[name]?.connection = nil
        }
    }

    func remove(_ name: String) {
        state.withLock { state in
            state.uploads[name] = nil
            state.names.removeAll { $0 == name }
        }
    }

    private static func removeFirst(_ state: inout State) {
        state.uploads[state.names.removeFirst()] = nil
    }
}

#endif
