// PendingEvents: the events of a log that no reader has asked for yet.

import HTTPTypes
package import TsubameCore

/// Events in the order of their arrival, within a limit of bytes. Adding one is cheap, because nothing is sorted by call until the log
/// is read. When the events take more than the limit, the oldest ones of calls that have ended are evicted.
package struct PendingEvents: Sendable {
    package struct Entry: Sendable {
        package let event: CallEvent
        /// The time in milliseconds since 1970 for an event that begins a call, and 0 for others.
        package let now: Double
        /// The number of the client in the log.
        package let client: UInt16
        /// The part of the event that eviction needs. Looking at the event itself would copy it.
        fileprivate let role: Role
    }

    fileprivate enum Role: UInt8, Sendable {
        case beginning, progress, other, end
    }

    private struct Chunk: Sendable {
        var entries: [Entry] = []
        var bytes = 0
    }

    private static let chunkLength = 512
    /// The most events of a running call that are carried on when their chunks are evicted.
    private static let mostCarried = 1000

    /// The limit for all events, in bytes.
    private let limit: Int
    /// The limit for the body of a request that is kept with it, in bytes.
    private let bodyLimit: Int
    /// Oldest first, without the one that is being filled.
    private var chunks: [Chunk] = []
    private var last = Chunk()
    /// Events of running calls whose chunks were evicted, oldest first.
    private var carried = Chunk()
    /// The running calls of which events were taken. Their ends are never evicted.
    private var known: Set<UInt64> = []
    /// An estimate of the memory, in bytes.
    package private(set) var bytes = 0
    /// The number of calls that were evicted since the last ``take()``.
    private var evicted = 0

    package init(limit: Int, bodyLimit: Int) {
        self.limit = limit
        self.bodyLimit = bodyLimit
    }

    package var isEmpty: Bool { bytes == 0 }

    /// Adds an event, without the bodies of its messages.
    /// - Parameters:
    ///   - client: the number of the client in the log.
    ///   - now: the time in milliseconds since 1970, asked for when a call begins.
    /// - Returns: the events that were evicted, so that the caller can release them without a lock.
    @discardableResult
    package mutating func add(
        _ event: CallEvent, from client: UInt16 = 0, now: @autoclosure () -> Double
    ) -> [[Entry]] {
        let weight = event.kind.weight(bodyLimit: bodyLimit)
        let time = weight.role == .beginning ? now() : 0
        if weight.hasBodies {
            let kind = event.kind.withoutBodies(over: bodyLimit)
            last.entries.append(
                Entry(
                    event: CallEvent(call: event.call, time: event.time, kind: kind), now: time, client: client,
                    role: weight.role))
        } else {
            last.entries.append(Entry(event: event, now: time, client: client, role: weight.role))
        }
        last.bytes += weight.bytes
        bytes += weight.bytes
        return last.entries.count == Self.chunkLength || last.bytes > limit / 16 ? closeChunk() : []
    }

    private mutating func closeChunk() -> [[Entry]] {
        chunks.append(last)
        last.entries = []
        last.bytes = 0
        last.entries.reserveCapacity(Self.chunkLength)
        return bytes > limit ? evict() : []
    }

    /// Names the running calls of which events were taken.
    package mutating func know(_ running: Set<UInt64>) { known = running }

    /// Takes all events, oldest first.
    /// - Returns: the events in parts, and the number of calls that were evicted before them.
    package mutating func take() -> (parts: [[Entry]], evicted: Int) {
        defer {
            (chunks, last, carried) = ([], Chunk(), Chunk())
            (bytes, evicted) = (0, 0)
        }
        return ([carried.entries] + chunks.map(\.entries) + [last.entries], evicted)
    }

    /// Evicts a quarter of the events, so that looking for running calls costs little for each event.
    private mutating func evict() -> [[Entry]] {
        var ended: Set<UInt64> = []
        for chunk in chunks {
            for index in chunk.entries.indices where chunk.entries[index].role == .end {
                ended.insert(chunk.entries[index].event.call)
            }
        }
        var dropped = [carried.entries]
        bytes -= carried.bytes
        carried = Chunk()
        var count = 0
        while bytes > limit / 4 * 3, count < chunks.count {
            bytes -= chunks[count].bytes
            dropped.append(chunks[count].entries)
            count += 1
        }
        chunks.removeFirst(count)
        var counts: [UInt64: Int] = [:]
        for entries in dropped {
            for index in entries.indices {
                let role = entries[index].role
                // Progress is told again, and most events belong to calls that have ended.
                if role == .progress { continue }
                let call = entries[index].event.call
                if !ended.contains(call) || known.contains(call) {
                    counts[call, default: 0] += 1
                    if counts[call, default: 0] <= Self.mostCarried || role == .end { carry(entries[index]) }
                } else if role == .beginning {
                    evicted += 1
                }
            }
        }
        return dropped
    }

    private mutating func carry(_ entry: Entry) {
        let size = entry.event.kind.size
        carried.entries.append(entry)
        carried.bytes += size
        bytes += size
    }
}

extension CallEvent.Kind {
    fileprivate struct Weight {
        /// An estimate of the memory that the event takes without the bodies that are dropped.
        var bytes: Int
        var role = PendingEvents.Role.other
        /// Whether its messages have bodies to drop.
        var hasBodies = false
    }

    /// An estimate of the memory that the event takes, in bytes.
    var size: Int { weight(bodyLimit: .max).bytes }

    /// One look at the event, because each copies a part of it.
    fileprivate func weight(bodyLimit: Int) -> Weight {
        switch self {
        case .started(let request):
            var weight = request.weight(bodyLimit)
            weight.role = .beginning
            return weight
        case .sent(let request):
            var weight = request.weight(bodyLimit)
            weight.bytes += 64 * request.headers.count
            return weight
        case .resending(let request, _, _): return request.weight(bodyLimit)
        case .headReceived(let response): return response.weight(bodyLimit)
        case .finished(let response):
            var weight = response.weight(bodyLimit)
            weight.role = .end
            return weight
        case .failed(let error):
            return Weight(bytes: 1024 + (error.response?.details.head?.byteCount ?? 0), role: .end, hasBodies: true)
        case .informational(_, let fields):
            return Weight(bytes: fields.reduce(256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count })
        case .caching(let text), .decision(let text): return Weight(bytes: 128 + text.utf8.count)
        case .requestBody(let bytes, _), .responseBody(let bytes, _):
            // A slice may keep a much longer body.
            return Weight(bytes: 128 + bytes.count, hasBodies: true)
        case .sending, .receiving: return Weight(bytes: 128, role: .progress)
        case .cancelled: return Weight(bytes: 128, role: .end)
        case .queued, .resolving, .resolved, .connecting, .connected, .securing, .secured, .reused:
            return Weight(bytes: 128)
        }
    }

    func withoutBodies(over limit: Int) -> CallEvent.Kind {
        switch self {
        case .started(let request): .started(request.withoutBody())
        case .sent(let request): .sent(request.withoutBody())
        case .resending(let request, let why, let delay): .resending(request.withoutBody(), why: why, after: delay)
        case .headReceived(let response): .headReceived(response.withoutBodies(over: limit))
        case .finished(let response): .finished(response.withoutBodies(over: limit))
        case .failed(let error):
            .failed(
                error.replacing(
                    request: error.request.map { $0.hasBody(over: limit) ? $0.withoutBody() : $0 },
                    response: error.response?.withoutBodies(over: limit)))
        case .requestBody(let bytes, let offset): .requestBody(bytes.copied(), at: offset)
        case .responseBody(let bytes, let offset): .responseBody(bytes.copied(), at: offset)
        default: self
        }
    }
}

extension Request {
    fileprivate func hasBody(over limit: Int) -> Bool {
        guard !body.isEmpty, case .bytes(let bytes) = body.content else { return false }
        return bytes.count > limit
    }

    /// The request with a body that has the type and the length, and no bytes.
    fileprivate func withoutBody() -> Request {
        var copy = self
        let missing = CallError(.misuse, "the log keeps no body of this length", phase: .preparing)
        copy.body = RequestBody(.failed(missing), contentType: body.contentType, length: body.length)
        return copy
    }

    fileprivate func weight(_ bodyLimit: Int) -> CallEvent.Kind.Weight {
        let bytes = 1024 + (uri?.target.utf8.count ?? shownURL.utf8.count)
        guard !body.isEmpty, case .bytes(let content) = body.content else { return CallEvent.Kind.Weight(bytes: bytes) }
        if content.count > bodyLimit { return CallEvent.Kind.Weight(bytes: bytes, hasBodies: true) }
        return CallEvent.Kind.Weight(bytes: bytes + content.count)
    }
}

extension Response {
    fileprivate func weight(_ bodyLimit: Int) -> CallEvent.Kind.Weight {
        let head =
            details.head?.byteCount
            ?? headers.fields.reduce(512) { $0 + 64 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        return CallEvent.Kind.Weight(
            bytes: 256 + head,
            hasBodies: body.bytes?.isEmpty != true || !details.history.isEmpty
                || details.request.hasBody(over: bodyLimit))
    }

    fileprivate consuming func withoutBodies(over limit: Int) -> Response {
        body = ResponseBody(Bytes())
        if !details.history.isEmpty || details.request.hasBody(over: limit) {
            let request = details.request
            details = details.with(
                history: [], request: request.hasBody(over: limit) ? request.withoutBody() : request)
        }
        return self
    }
}
