// DatabaseCacheWriter: a response on its way into the cache.

#if Store
import Synchronization
import Tsubame
import TsubameCore
import TsubameWire

/// A short body is gathered; once it is longer it goes to a file as it comes.
final class DatabaseCacheWriter: CacheWriter {
    /// Up to here a body is in its row.
    static let rowBytes = 64 << 10

    private struct State: ~Copyable {
        var gathered = GatheredBytes()
        var file: IncomingBody?
        var sums = BlockSums()
        var length: Int64 = 0
        var hasFailed = false
    }

    private let keeper: DatabaseCacheKeeper
    private let head: StoredHead
    private let key: String
    private let announced: Int64?
    private let state = Mutex(State())

    init(_ keeper: DatabaseCacheKeeper, _ head: StoredHead, _ key: String, length: Int64?) {
        self.keeper = keeper
        self.head = head
        self.key = key
        announced = length
    }

    func write(_ bytes: Bytes) -> Bool {
        state.withLock { state in
            if state.hasFailed { return false }
            let (length, overflow) = state.length.addingReportingOverflow(Int64(bytes.count))
            guard !overflow, length <= min(keeper.limit, announced ?? .max) else {
                state.file = nil
                state.gathered = GatheredBytes()
                state.hasFailed = true
                return false
            }
            state.length = length
            bytes.withUnsafeBytes { state.sums.add($0) }
            if state.file == nil, length <= Self.rowBytes {
                // What it is a part of may be much longer.
                state.gathered.append(bytes.copied())
                return true
            }
            do throws(CallError) {
                try Self.append(bytes, to: &state, keeper.folder)
                return true
            } catch {
                keeper.note(error)
                state.file = nil
                state.hasFailed = true
                return false
            }
        }
    }

    private static func append(_ bytes: Bytes, to state: inout State, _ folder: BodyFolder) throws(CallError) {
        let file: IncomingBody
        if let begun = state.file {
            file = begun
        } else {
            file = try folder.makeFile()
            state.file = file
            let gathered = state.gathered.joined()
            state.gathered = GatheredBytes()
            guard gathered.withUnsafeBytes({ file.write($0) }) else { throw folder.fullError }
        }
        guard bytes.withUnsafeBytes({ file.write($0) }) else { throw folder.fullError }
    }

    func finish() {
        let taken = state.withLock { state -> (StoredContent, IncomingBody?)? in
            guard !state.hasFailed, announced == nil || announced == state.length else { return nil }
            state.hasFailed = true
            let bytes = state.file == nil ? state.gathered.joined() : nil
            return (
                StoredContent(length: state.length, sums: state.sums, file: state.file?.name, bytes: bytes), state.file
            )
        }
        guard let (content, file) = taken else { return }
        if let file, !file.complete() { return keeper.note(keeper.folder.fullError) }
        if keeper.put(head, under: key, content) { file?.keep() }
    }
}
#endif
