// What has come of the uploads to one server that may go on.
#if Server
import Synchronization

/// Bounded: a new upload takes the place of the oldest.
final class UploadStore: Sendable {
    /// In bytes, for one upload and for all together.
    static let byteLimit = 16 << 20
    private static let countLimit = 16

    struct Upload {
        /// Emptied when they are complete.
        var bytes: [UInt8] = []
        /// How many there have been.
        var count = 0
        /// How many there are to be.
        var length: Int?
        /// Of the whole, in hexadecimal.
        var digest: String?
        /// The connection breaks when there are so many bytes; in order.
        var drops: [Int] = []
        /// Who may append: whoever came last.
        var writer = 0
        var connection: Connection?
    }

    /// What became of bytes that came.
    enum Outcome {
        case kept
        /// Those up to the place where the connection is to break.
        case dropped
        /// Somebody else goes on with it, or nobody.
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

    /// Asks for an upload, and ends whatever else is still being done with it: its client thinks that broken off.
    /// - Parameter connection: what goes on with it.
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

    /// Ends an upload, unless it is shorter than it was to be: then it stays without a digest, and may go on.
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

    /// Lets go of it: its connection may do something else now, under which it must not be closed.
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
