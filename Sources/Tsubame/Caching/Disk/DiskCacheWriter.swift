// DiskCacheWriter: writes a response into a cache on disk.

import Synchronization
package import TsubameCore
package import TsubameWire

/// Gathers a short body in memory. A longer one goes to a file as it comes.
package final class DiskCacheWriter: CacheWriter {
    private struct State: ~Copyable {
        var gathered = GatheredBytes()
        var file: IncomingBody?
        var sums = BlockSums()
        var length: Int64 = 0
        var hasFailed = false
    }

    private let storage: any DiskCacheStorage
    private let folder: BodyFolder
    private let head: StoredHead
    private let key: String
    private let announced: Int64?
    private let state = Mutex(State())

    package init(_ storage: any DiskCacheStorage, _ head: StoredHead, _ key: String, length: Int64?) {
        self.storage = storage
        folder = storage.folder(of: key)
        self.head = head
        self.key = key
        announced = length
    }

    package func write(_ bytes: Bytes) -> Bool {
        state.withLock { state in
            if state.hasFailed { return false }
            let (length, overflow) = state.length.addingReportingOverflow(Int64(bytes.count))
            guard !overflow, length <= min(storage.limit, announced ?? .max) else {
                state.file = nil
                state.gathered = GatheredBytes()
                state.hasFailed = true
                return false
            }
            state.length = length
            bytes.withUnsafeBytes { state.sums.add($0) }
            if state.file == nil, length <= StoredContent.inlineBytes {
                // A copy, because the bytes may be part of a much larger buffer.
                state.gathered.append(bytes.copied())
                return true
            }
            do throws(CallError) {
                try Self.append(bytes, to: &state, folder)
                return true
            } catch {
                storage.note(error)
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
            file = try folder.makeFile(ending: CacheFileName.bodyEnding)
            state.file = file
            let gathered = state.gathered.joined()
            state.gathered = GatheredBytes()
            guard gathered.withUnsafeBytes({ file.write($0) }) else { throw folder.fullError }
        }
        guard bytes.withUnsafeBytes({ file.write($0) }) else { throw folder.fullError }
    }

    package func finish() -> Bool {
        let taken = state.withLock { state -> (StoredContent, IncomingBody?)? in
            guard !state.hasFailed, announced == nil || announced == state.length else { return nil }
            state.hasFailed = true
            let bytes = state.file == nil ? state.gathered.joined() : nil
            return (
                StoredContent(length: state.length, sums: state.sums, file: state.file?.name, bytes: bytes), state.file
            )
        }
        guard let (content, file) = taken else { return false }
        if let file, !file.complete() {
            storage.note(folder.fullError)
            return false
        }
        guard storage.put(head, under: key, content) else { return false }
        file?.keep()
        return true
    }
}
