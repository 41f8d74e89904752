// FolderKeeper: keeps a cache's responses in a folder that other processes use as well.

import Dispatch
import Synchronization
import TsubameCore
import TsubameWire

/// A folder for each key, and in it a record for each response, and a file for its body if that is large. A record is written
/// under another name and renamed, after its body: what is there is whole. The time at which a record was changed last says
/// when its response was used.
final class FolderKeeper: DiskKeeper {
    /// What is there, and how much of it there is room for.
    private struct State: Sendable {
        /// Where the responses are that were looked up.
        var places: [Int64: Place] = [:]
        /// What was read of the key that was looked up last, for whoever wants a body of it next.
        var found: [Int64: CacheRecord] = [:]
        /// As it was counted last, and what has been added since; nil if it never was.
        var byteCount: Int64?
        var notices: [String] = []
    }

    private struct Place: Sendable {
        let folder: BodyFolder
        let name: String
    }

    /// A response among all of them.
    private struct Found {
        let folder: BodyFolder
        let name: String
        var size: Int64
        let used: Int64
    }

    private static let keptPlaces = 4096
    private static let keptNotices = 16
    /// A record of a body in a file, with the sums of 64 GiB.
    private static let longestRecord: Int64 = 8 << 20
    /// Beyond its limit a cache is emptied down to this part of it, so that not every response has all others counted.
    private static let keptShare = 0.9

    private let root: BodyFolder
    let limit: Int64
    private let work = DispatchQueue(label: "tsubame.cache")
    private let state = Mutex(State())

    /// - Throws: ``CallError/Kind/file`` if the folder cannot be made or written, or holds files that are not of a cache.
    init(_ path: String, limit: Int64) throws(CallError) {
        root = BodyFolder(path: path)
        self.limit = max(limit, 0)
        try root.make()
        try CacheFolderMark.claim(root)
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

    func body(of response: StoredResponse, from offset: Int64) -> ReceivedBody? {
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

    /// nil if it is not there any more, or damaged.
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
        // Another process may have forgotten it, with its file.
        guard Self.status(name, in: folder) != nil else { return }
        note("a response in \(root.path) was damaged, and is forgotten")
        folder.remove([name, name + CacheFileName.bodyEnding])
    }

    /// Of a file, and not of what a link leads to; nil if there is none.
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

    /// Those with the same selecting fields, and more than a key may have.
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

    func remove(_ key: String) { removeAll(in: folder(of: key)) }

    func removeAll() {
        for folder in folders { removeAll(in: folder) }
        state.withLock { $0.byteCount = nil }
    }

    private func removeAll(in folder: BodyFolder) {
        state.withLock { $0.found = [:] }
        // A body goes after its record, which would be damaged without it.
        let names = folder.files.map(\.name).sorted { $0.utf8.count < $1.utf8.count }
        for name in names { folder.sweep(name) { false } }
        folder.removeFolder()
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
                // One that is as long as the whole cache may be is kept alone.
                if sum <= goal || response.size > goal && sum <= limit { break }
                response.folder.remove([response.name, response.name + CacheFileName.bodyEnding])
                response.folder.removeFolder()
                sum -= response.size
            }
        }
        let rest = sum
        state.withLock { $0.byteCount = rest }
    }

    /// All responses; what killed processes have left is removed.
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
                    // Its record may have come since.
                    folder.sweep(name + CacheFileName.bodyEnding) { Self.status(name, in: folder) != nil }
                }
            }
            found += records.values
        }
        return found
    }
}
