// FolderCacheStorage: keeps a cache's responses in a folder that other processes may use as well.

import Dispatch
import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameWire

/// Each key has a folder. It holds a record for each response, and a file for its body if the body is large. A record
/// is written under another name and renamed, after its body, so that every record is complete. The modification time
/// of a record is the time of the response's last use.
final class FolderCacheStorage: DiskCacheStorage {
    /// The places of known responses, and the size of the cache.
    private struct State: Sendable {
        /// The places of the responses that were looked up.
        var places: [Int64: Place] = [:]
        /// The records of the last lookup, because its caller usually asks for a body next.
        var found: [Int64: CacheRecord] = [:]
        /// The last count of bytes, and the bytes that this process has added since. nil if they were never counted.
        var byteCount: Int64?
        var notices: [String] = []
    }

    private struct Place: Sendable {
        let folder: BodyFolder
        let name: String
    }

    /// A response among all responses.
    private struct Found {
        let folder: BodyFolder
        let name: String
        var size: Int64
        let used: Int64
    }

    private static let keptPlaces = 4096
    private static let keptNotices = 16
    /// The length of a record with the checksums of a 64 GiB body.
    private static let longestRecord: Int64 = 8 << 20
    /// A full cache is emptied to this share of its limit, so that not every new response causes a count of all
    /// others.
    private static let keptShare = 0.9

    private let root: BodyFolder
    let limit: Int64
    private let work = DispatchQueue(label: "tsubame.cache")
    private let state = Mutex(State())

    /// - Throws: ``CallError/Kind/file`` if the folder cannot be created or written, or holds files that are not a
    ///   cache's.
    init(_ path: String, limit: Int64) throws(CallError) {
        root = BodyFolder(path: path)
        self.limit = max(limit, 0)
        try root.make()
        try CacheFolderMark.claim(root)
        BackupExclusion.set(true, path)
    }

    var name: String { root.path }
    var queue: DispatchQueue? { work }

    func folder(of key: String) -> BodyFolder {
        BodyFolder(path: "\(root.path)/\(Hexadecimal.text(SHA256.digest(Array(key.utf8)).prefix(16)))")
    }

    func takeNotices() -> [String] {
        state.withLock { state in
            defer { state.notices = [] }
            return state.notices
        }
    }

    func note(_ text: String) {
        state.withLock { state in
            if !state.notices.contains(text), state.notices.count < Self.keptNotices { state.notices.append(text) }
        }
    }

    // MARK: Reading

    func responses(to key: String) -> [StoredResponse] {
        let folder = folder(of: key)
        var responses: [StoredResponse] = []
        var found: [Int64: CacheRecord] = [:]
        var room = CacheLimits.smallBody
        for (name, kind) in folder.files where kind == .record {
            guard let record = record(name, in: folder), record.key == key, let id = Self.id(of: name) else { continue }
            remember(Place(folder: folder, name: name), as: id)
            let size = record.content.bytes?.count ?? 0
            if size <= room {
                room -= size
                found[id] = record
            }
            responses.append(StoredResponse(id: id, head: record.head, bodyLength: record.content.length))
        }
        let read = found
        state.withLock { $0.found = read }
        responses.sort { ($0.head.responseTime, $0.id) > ($1.head.responseTime, $1.id) }
        return Array(responses.prefix(CacheLimits.variants))
    }

    /// All complete responses, each with its key.
    var contents: [(key: String, response: StoredResponse)] {
        folders.flatMap { folder in
            folder.files.compactMap { name, kind in
                guard kind == .record, let id = Self.id(of: name), let record = record(name, in: folder) else {
                    return nil
                }
                let response = StoredResponse(id: id, head: record.head, bodyLength: record.content.length)
                return (record.key, response)
            }
        }
    }

    func body(of response: StoredResponse, from offset: Int64) -> ResponseBody? {
        let (place, found) = state.withLock { state in
            defer { state.found = [:] }
            return (state.places[response.id], state.found[response.id])
        }
        guard let place, let record = found ?? record(place.name, in: place.folder),
            record.content.length == response.bodyLength, (0...max(response.bodyLength, 0)).contains(offset)
        else { return nil }
        let body = record.content.body(from: offset, in: place.folder, on: work) { [weak self] in
            self?.forgetDamaged(place.name, in: place.folder)
        }
        if body == nil { forgetDamaged(place.name, in: place.folder) } else { place.folder.touch(place.name) }
        return body
    }

    /// The record, or nil if it is missing or damaged.
    private func record(_ name: String, in folder: BodyFolder) -> CacheRecord? {
        guard let status = Self.status(name, in: folder), status.size <= Self.longestRecord,
            let bytes = folder.file(name, length: status.size)?.read(Int(status.size), at: 0)
        else { return nil }
        if let record = CacheRecord(bytes) { return record }
        forgetDamaged(name, in: folder)
        return nil
    }

    private func forgetDamaged(_ name: String, in folder: BodyFolder) {
        state.withLock { $0.found = [:] }
        // Another process may have removed the record and its file.
        guard Self.status(name, in: folder) != nil else { return }
        note("a response in \(root.path) was damaged, and is forgotten")
        folder.remove([name, name + CacheFileName.bodyEnding])
    }

    /// The status of a regular file, or nil if there is none. Links are not followed.
    private static func status(_ name: String, in folder: BodyFolder) -> FileStatus? {
        let status = FileStatus(of: "\(folder.path)/\(name)", followsLinks: false)
        return status?.kind == .regular ? status : nil
    }

    /// The folders of all keys.
    private var folders: [BodyFolder] {
        root.names.filter { CacheFileName.isStem($0) }.map { BodyFolder(path: "\(root.path)/\($0)") }
    }

    private static func id(of name: String) -> Int64? {
        UInt64(name.prefix(16), radix: 16).map { Int64(bitPattern: $0) }
    }

    private func remember(_ place: Place, as id: Int64) {
        state.withLock { state in
            if state.places.count >= Self.keptPlaces { state.places = [:] }
            state.places[id] = place
        }
    }

    private func place(of response: StoredResponse) -> Place? { state.withLock { $0.places[response.id] } }

    // MARK: Writing

    func put(_ head: StoredHead, under key: String, _ content: StoredContent) -> Bool {
        let folder = folder(of: key)
        let record = CacheRecord(key: key, head: head, content: content).bytes
        let size = content.length + Int64(record.count)
        do throws(CallError) {
            guard size <= limit else { return false }
            let file: IncomingBody
            if let body = content.file {
                file = try folder.makeFile(named: String(body.dropLast(CacheFileName.bodyEnding.count)))
            } else {
                file = try folder.makeFile()
            }
            guard write(record, to: file) else { throw folder.fullError }
            folder.touch(file.name)
            removeOthers(than: file.name, like: head, in: folder)
            makeRoom(for: size)
            return true
        } catch {
            note(error)
            return false
        }
    }

    private func write(_ record: [UInt8], to file: IncomingBody) -> Bool {
        guard record.withUnsafeBytes({ file.write($0) }), file.complete() else { return false }
        file.keep()
        return true
    }

    func update(_ response: StoredResponse) {
        guard let place = place(of: response), var record = record(place.name, in: place.folder) else { return }
        record.head = response.head
        do throws(CallError) {
            let file = try place.folder.makeFile(named: place.name)
            guard write(record.bytes, to: file) else { throw place.folder.fullError }
            removeOthers(than: place.name, like: response.head, in: place.folder)
        } catch {
            note(error)
        }
    }

    /// Removes the responses with the same selecting fields, and those above the limit of a key.
    private func removeOthers(than name: String, like head: StoredHead, in folder: BodyFolder) {
        var others: [(name: String, time: Double)] = []
        for (other, kind) in folder.files where kind == .record && other != name {
            guard let record = record(other, in: folder) else { continue }
            if record.head.selecting == head.selecting {
                folder.remove([other, other + CacheFileName.bodyEnding])
            } else {
                others.append((other, record.head.responseTime))
            }
        }
        others.sort { $0.time > $1.time }
        for other in others.dropFirst(CacheLimits.variants - 1) {
            folder.remove([other.name, other.name + CacheFileName.bodyEnding])
        }
    }

    func remove(_ key: String?, isUrgent: Bool) -> Bool {
        if let key { return removeAll(in: folder(of: key)) }
        defer { state.withLock { $0.byteCount = nil } }
        guard root.isReadable else {
            note(root.failure("read"))
            return false
        }
        var isDone = true
        for folder in folders where !removeAll(in: folder) { isDone = false }
        return isDone
    }

    /// - Returns: whether no record is left.
    private func removeAll(in folder: BodyFolder) -> Bool {
        state.withLock { $0.found = [:] }
        guard folder.isReadable else {
            note(folder.failure("read"))
            return false
        }
        var isDone = true
        let files = folder.files
        for (name, kind) in files where kind == .record && Self.status(name, in: folder) != nil {
            if folder.remove(name) { continue }
            note(folder.failure("removed"))
            isDone = false
        }
        // A body is removed after its record, which would be damaged without it.
        if isDone { for (name, kind) in files where kind != .record { folder.sweep(name) { false } } }
        folder.removeFolder()
        return isDone
    }

    // MARK: Room

    var byteCount: Int64 { survey().reduce(0) { $0 + $1.size } }

    private func makeRoom(for added: Int64) {
        let known = state.withLock { state in
            state.byteCount = state.byteCount.map { $0.addingReportingOverflow(added).partialValue }
            return state.byteCount
        }
        if let known, known <= limit { return }
        var found = survey()
        var sum = found.reduce(0) { $0 + $1.size }
        if sum > limit {
            let goal = Int64(Double(limit) * Self.keptShare)
            found.sort { ($0.used, $0.name) < ($1.used, $1.name) }
            for response in found {
                // A response as large as the whole cache may be is kept alone.
                if sum <= goal || response.size > goal && sum <= limit { break }
                response.folder.remove([response.name, response.name + CacheFileName.bodyEnding])
                response.folder.removeFolder()
                sum -= response.size
            }
        }
        let rest = sum
        state.withLock { $0.byteCount = rest }
    }

    /// Finds all responses, and removes the files that killed processes have left.
    private func survey() -> [Found] {
        var found: [Found] = []
        for folder in folders {
            var records: [String: Found] = [:]
            var bodies: [String: Int64] = [:]
            for (name, kind) in folder.files {
                guard let status = Self.status(name, in: folder) else { continue }
                switch kind {
                case .record:
                    records[name] = Found(folder: folder, name: name, size: status.size, used: status.modified)
                case .body: bodies[String(name.dropLast(CacheFileName.bodyEnding.count))] = status.size
                case .part: folder.sweep(name) { false }
                }
            }
            for (name, size) in bodies {
                if records[name] != nil {
                    records[name]?.size += size
                } else {
                    // Its record may have been written since.
                    folder.sweep(name + CacheFileName.bodyEnding) { Self.status(name, in: folder) != nil }
                }
            }
            found += records.values
        }
        return found
    }
}
