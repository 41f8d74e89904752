// A request of which the cache has to ask the origin.

import HTTPTypes
import TsubameCore
import TsubameWire

extension CacheVisit {
    /// Sends the request on, and takes what comes back.
    /// - Parameters:
    ///   - stored: what is stored for such a request, if anything is.
    ///   - validates: whether to ask by its validators.
    func ask(
        _ why: CacheStatus.Forward, _ stored: StoredResponse?, validates: Bool
    ) async throws(CallError) -> Response {
        var sent = request
        if validates, let stored { stored.terms.addCondition(to: &sent.headers) }
        tell("the origin is asked\(validates ? " whether what is stored still holds" : ""): \(why.rawValue)")
        let start = cache.now()
        let response: Response
        do throws(CallError) {
            response = try await next(sent, call)
        } catch {
            guard error.isOutage, !call.isCancelled, let stored, let stale = try await standIn(stored, why, nil) else {
                throw error
            }
            return stale
        }
        guard let stored else { return try await taken(response, why, since: start) }
        if CacheDecision.isError(response.statusCode), let stale = try await standIn(stored, why, response) {
            response.body.discard()
            return stale
        }
        if response.statusCode == 304 {
            let update = HTTPFields(response.headers)
            guard validates else {
                // The caller's own condition: he has it, and what is stored may be the same.
                if stored.head.isMeant(by: update, isAsked: false) {
                    _ = try await freshened(stored, by: update, since: start)
                }
                return marked(response, CacheStatus(forward: why))
            }
            if stored.head.isMeant(by: update) {
                let fresh = try await freshened(stored, by: update, since: start)
                let left = Freshness.whole(fresh.terms.freshness.timeToLive(at: cache.now()))
                let status = CacheStatus(forward: why, forwardStatus: 304, timeToLive: left)
                if let answer = try await kept(fresh, isValidated: true, status, exchange: response) {
                    tell("what is stored still holds, for \(left) s")
                    return answer
                }
            } else {
                tell("the origin speaks of something else than what is stored, which is forgotten")
                let (cache, key) = (cache, key)
                try await caching.perform(call) { cache.remove(key: key) }
            }
            return try await again(why)
        }
        if terms.method == .head, response.statusCode == 200 {
            let fields = HTTPFields(response.headers)
            if stored.head.isDescribed(by: fields, status: 200) {
                _ = try await freshened(stored, by: fields, since: start)
            } else {
                tell("HEAD describes something else than what is stored, which is forgotten")
                let (cache, key) = (cache, key)
                try await caching.perform(call) { cache.remove(key: key) }
            }
        }
        return try await taken(response, why, since: start, replacing: stored.head)
    }

    /// As if nothing had been stored.
    private func again(_ why: CacheStatus.Forward) async throws(CallError) -> Response {
        let visit = CacheVisit(
            caching: caching, request: request, terms: terms, key: key, call: call, next: next,
            removals: cache.removalCount)
        return try await visit.ask(why, nil, validates: false)
    }

    private func marked(_ response: Response, _ status: CacheStatus) -> Response {
        var response = response
        response.headers.append(HTTPField(name: .cacheStatus, value: status.text))
        return response
    }

    /// The answer of what is stored, got where that may block.
    private func kept(
        _ stored: StoredResponse, isValidated: Bool, _ status: CacheStatus, exchange: Response?
    ) async throws(CallError) -> Response? {
        try await caching.perform(call) {
            response(of: stored, at: cache.now(), isValidated: isValidated, status, exchange: exchange)
        }
    }

    /// What is stored in the place of an origin that fails (RFC 5861 section 4); nil if it must not be.
    private func standIn(
        _ stored: StoredResponse, _ why: CacheStatus.Forward, _ failure: Response?
    ) async throws(CallError) -> Response? {
        let now = cache.now()
        guard CacheDecision.permitsStaleOnError(terms, stored.terms, at: now) else { return nil }
        let left = Freshness.whole(stored.terms.freshness.timeToLive(at: now))
        let status = CacheStatus(
            forward: why, forwardStatus: failure?.statusCode, timeToLive: left,
            detail: CacheDecision.Excuse.staleIfError.rawValue)
        guard let answer = try await kept(stored, isValidated: false, status, exchange: failure) else { return nil }
        tell("the origin fails, and what is stored stands in (stale-if-error)")
        return answer
    }

    /// The stored response with what the origin says of it now.
    private func freshened(
        _ stored: StoredResponse, by update: HTTPFields, since start: Double
    ) async throws(CallError) -> StoredResponse {
        var fresh = stored
        fresh.head = stored.head.updated(by: update, requestTime: start, responseTime: cache.now())
        // It may say anew what it varies by; this request was answered by it.
        let vary = fresh.head.varying
        let selecting = StoredHead.selecting(
            vary: vary, in: request.headers, terms.identity,
            setsCookies: update.contains(.setCookie) || stored.head.hasCookies, replacing: stored.head)
        if let selecting {
            fresh.head.selecting = selecting
        }
        let (keeper, changed) = (cache.keeper, fresh)
        try await caching.perform(call) { keeper.update(changed) }
        return fresh
    }

    // MARK: Storing

    /// A response of the origin on its way back, stored if it may be.
    /// - Parameter stored: what has answered such requests so far.
    private func taken(
        _ response: Response, _ why: CacheStatus.Forward, since start: Double, replacing stored: StoredHead? = nil
    ) async throws(CallError) -> Response {
        var response = response
        var status = CacheStatus(forward: why)
        let fields = HTTPFields(response.headers)
        if let refusal = StoringRules.refusal(of: response.statusCode, fields, to: terms) {
            tell("the answer is not stored: \(refusal)")
        } else {
            var head = StoredHead(
                status: response.statusCode, fields: StoringRules.stored(fields), selecting: [:], requestTime: start,
                responseTime: cache.now())
            let selecting = StoredHead.selecting(
                vary: head.varying, in: request.headers, terms.identity, setsCookies: fields.contains(.setCookie),
                replacing: stored)
            if let selecting {
                head.selecting = selecting
                do throws(CallError) {
                    let length = fields[.contentLength].flatMap { Int64($0) }
                    status.isStored = try await store(head, &response, length: length)
                    if !status.isStored { tell("the answer is not stored: there is no room for it") }
                } catch {
                    // What the cache has no time for costs nobody an answer that has come.
                    guard error.kind == .timeout else { throw error }
                    tell("the answer is not stored: there is no time for it")
                }
                report()
            } else {
                tell("the answer is not stored: it varies by everything")
            }
        }
        return marked(response, status)
    }

    /// - Returns: whether the response is stored, or will be once it has been read to its end.
    private func store(
        _ head: StoredHead, _ response: inout Response, length: Int64?
    ) async throws(CallError) -> Bool {
        let (cache, key, removals) = (cache, key, removals)
        switch response.body.content {
        case .whole(let bytes):
            return try await caching.perform(call) {
                guard !cache.hasRemoved(key, since: removals),
                    let writer = cache.keeper.store(head, under: key, length: Int64(bytes.count)),
                    bytes.count == 0 || writer.write(bytes)
                else { return false }
                return writer.finish()
            }
        case .stream(let source):
            let writer = try await caching.perform(call) { cache.keeper.store(head, under: key, length: length) }
            guard let writer else { return false }
            response.body = ReceivedBody(
                StoringSource(source, writer, queue: cache.keeper.queue, call) {
                    !cache.hasRemoved(key, since: removals)
                } isOver: {
                    report()
                })
            return true
        }
    }
}

extension CallError {
    /// Whether the origin, or the way to it, is out of order; not what has been refused for good reasons.
    fileprivate var isOutage: Bool {
        switch kind {
        case .nameResolution, .connectionFailed, .proxy, .connectionLost, .emptyReply, .incompleteResponse: true
        case .timeout: timeout != .total
        default: false
        }
    }
}
