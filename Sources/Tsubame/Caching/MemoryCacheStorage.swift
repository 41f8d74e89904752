// MemoryCacheStorage: keeps a cache's responses in memory, and removes the least recently used ones first.

import Dispatch
import Synchronization
import TsubameCore
import TsubameWire

/// Each operation takes the same time however much is stored. Responses that are still being stored count towards the
/// limit, so that many long ones at once do not exceed it.
final class MemoryCacheStorage: CacheStorage {
    /// The approximate cost of an entry besides its bytes.
    private static let overhead = 512

    fileprivate struct Entry {
        var response: StoredResponse
        let key: String
        let pieces: [Bytes]
        var cost: Int
        /// The neighbours in the order of use.
        var older: Int64?
        var newer: Int64?
    }

    fileprivate struct State {
        var entries: [Int64: Entry] = [:]
        /// The identifiers for each key, the newest first.
        var ids: [String: [Int64]] = [:]
        var oldest: Int64?
        var newest: Int64?
        var lastID: Int64 = 0
        var count = 0
        /// The bytes that writers hold.
        var pending = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(bytes: Int) { limit = max(0, bytes) }

    var name: String { "memory" }
    var queue: DispatchQueue? { nil }
    var byteCount: Int64 { Int64(state.withLock { $0.count }) }
    func takeNotices() -> [String] { [] }

    func responses(to key: String) -> [StoredResponse] {
        state.withLock { state in
            (state.ids[key] ?? []).compactMap { state.entries[$0]?.response }
        }
    }

    func body(of response: StoredResponse, from offset: Int64) -> ResponseBody? {
        let pieces = state.withLock { state -> [Bytes]? in
            guard let entry = state.entries[response.id] else { return nil }
            state.use(response.id)
            return entry.pieces
        }
        guard var pieces else { return nil }
        var rest = Int(clamping: max(0, offset))
        while rest > 0, let first = pieces.first {
            if first.count > rest {
                pieces[0] = first.slice(rest..<first.count)
                rest = 0
            } else {
                rest -= first.count
                pieces.removeFirst()
            }
        }
        if pieces.count <= 1 { return ResponseBody(pieces.first ?? Bytes()) }
        return ResponseBody(PieceSource(pieces))
    }

    func store(_ head: StoredHead, under key: String, length: Int64?) -> (any CacheWriter)? {
        let headCost = Self.cost(of: head, under: key)
        guard headCost <= limit, length ?? 0 <= Int64(limit - headCost) else { return nil }
        return MemoryWriter(self, head, key: key, headCost: headCost)
    }

    func update(_ response: StoredResponse) {
        state.withLock { state in
            guard var entry = state.entries[response.id] else { return }
            let cost = Self.cost(of: response.head, under: entry.key) + Int(clamping: entry.response.bodyLength)
            state.count += cost - entry.cost
            entry.response = response
            entry.cost = cost
            state.entries[response.id] = entry
            state.use(response.id)
            state.evict(above: limit)
        }
    }

    func remove(_ key: String?, isUrgent: Bool) -> Bool {
        state.withLock { state in
            if let key {
                for id in state.ids[key] ?? [] { state.remove(id) }
                return
            }
            let (last, pending) = (state.lastID, state.pending)
            state = State()
            (state.lastID, state.pending) = (last, pending)
        }
        return true
    }

    private static func cost(of head: StoredHead, under key: String) -> Int {
        var cost = overhead + key.utf8.count
        for field in head.fields { cost += field.name.rawName.utf8.count + field.value.utf8.count + 64 }
        for (name, value) in head.selecting { cost += name.utf8.count + (value?.utf8.count ?? 0) + 64 }
        return cost
    }

    // MARK: Writers

    /// Makes room for the bytes of a writer.
    /// - Returns: whether there is enough room.
    fileprivate func reserve(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard bytes <= limit - state.pending else { return false }
            state.pending += bytes
            state.evict(above: limit - state.pending)
            return true
        }
    }

    fileprivate func release(_ bytes: Int) { state.withLock { $0.pending -= bytes } }

    /// Adds a response that has been written to its end.
    fileprivate func keep(_ head: StoredHead, under key: String, _ pieces: [Bytes], length: Int, cost: Int) {
        state.withLock { state in
            state.lastID &+= 1
            let id = state.lastID
            for other in state.ids[key] ?? [] where state.entries[other]?.response.head.selecting == head.selecting {
                state.remove(other)
            }
            if let ids = state.ids[key], ids.count >= CacheLimits.variants, let last = ids.last { state.remove(last) }
            let response = StoredResponse(id: id, head: head, bodyLength: Int64(length))
            state.entries[id] = Entry(response: response, key: key, pieces: pieces, cost: cost)
            state.ids[key, default: []].insert(id, at: 0)
            state.count += cost
            state.append(id)
            state.evict(above: limit - state.pending)
        }
    }
}

extension MemoryCacheStorage.State {
    /// Moves an entry to the end of the order of use.
    fileprivate mutating func use(_ id: Int64) {
        guard newest != id else { return }
        unlink(id)
        append(id)
    }

    fileprivate mutating func append(_ id: Int64) {
        entries[id]?.older = newest
        entries[id]?.newer = nil
        if let newest { entries[newest]?.newer = id } else { oldest = id }
        newest = id
    }

    private mutating func unlink(_ id: Int64) {
        guard let entry = entries[id] else { return }
        if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
    }

    fileprivate mutating func remove(_ id: Int64) {
        unlink(id)
        guard let entry = entries.removeValue(forKey: id) else { return }
        count -= entry.cost
        ids[entry.key]?.removeAll { $0 == id }
        if ids[entry.key]?.isEmpty == true { ids[entry.key] = nil }
    }

    fileprivate mutating func evict(above limit: Int) {
        while count > limit, let oldest { remove(oldest) }
    }
}

/// Gathers the body of a response that is being stored.
private final class MemoryWriter: CacheWriter {
    private struct Gathered: Sendable {
        var pieces = GatheredBytes()
        var reserved: Int
        var isOver = false
    }

    private let storage: MemoryCacheStorage
    private let head: StoredHead
    private let key: String
    private let headCost: Int
    private let gathered: Mutex<Gathered>

    init(_ storage: MemoryCacheStorage, _ head: StoredHead, key: String, headCost: Int) {
        self.storage = storage
        self.head = head
        self.key = key
        self.headCost = headCost
        gathered = Mutex(Gathered(reserved: 0))
    }

    deinit {
        let reserved = gathered.withLock { $0.isOver ? 0 : $0.reserved }
        if reserved > 0 { storage.release(reserved) }
    }

    func write(_ bytes: Bytes) -> Bool {
        gathered.withLock { gathered in
            guard !gathered.isOver else { return false }
            guard storage.reserve(bytes.count + (gathered.reserved == 0 ? headCost : 0)) else {
                gathered.isOver = true
                storage.release(gathered.reserved)
                gathered.pieces = GatheredBytes()
                return false
            }
            gathered.reserved += bytes.count + (gathered.reserved == 0 ? headCost : 0)
            // A copy, because the bytes may be part of a much larger buffer.
            gathered.pieces.append(bytes.copied())
            return true
        }
    }

    func finish() -> Bool {
        let (pieces, reserved) = gathered.withLock { gathered -> ([Bytes]?, Int) in
            guard !gathered.isOver else { return (nil, 0) }
            gathered.isOver = true
            defer { gathered.pieces = GatheredBytes() }
            return (gathered.pieces.all(), gathered.reserved)
        }
        guard var pieces else { return false }
        let length = pieces.reduce(0) { $0 + $1.count }
        // Most bodies are this small. As one piece they can be read without waiting.
        if pieces.count > 1, length <= CacheLimits.smallBody { pieces = [Bytes(joining: pieces)] }
        if reserved > 0 { storage.release(reserved) }
        storage.keep(head, under: key, pieces, length: length, cost: headCost + length)
        return true
    }
}

/// The pieces of a body in memory, one by one.
final class PieceSource: BodySource {
    private let rest: Mutex<ArraySlice<Bytes>>

    init(_ pieces: [Bytes]) { rest = Mutex(pieces[...]) }

    func next() async throws(CallError) -> Bytes? {
        rest.withLock { rest in
            while let first = rest.popFirst() { if first.count > 0 { return first } }
            return nil
        }
    }

    func cancel() { rest.withLock { $0 = [] } }
}
