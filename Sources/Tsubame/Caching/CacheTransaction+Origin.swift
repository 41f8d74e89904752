// CacheTransaction+Origin: the part of a cache transaction that asks the origin.

import HTTPTypes
import TsubameCore
import TsubameWire

extension CacheTransaction {
    /// Sends the request to the origin, and handles the response.
    /// - Parameters:
    ///   - stored: the stored response for such a request, if there is one.
    ///   - validates: whether to send the stored response's validators.
    func ask(
        _ why: CacheStatus.Forward, _ stored: StoredResponse?, validates: Bool
    ) async throws(CallError) -> Response {
        var sent = request
        if validates, let stored { stored.terms.addCondition(to: &sent.headers.fields) }
        tell("the origin is asked\(validates ? " whether the stored response is still valid" : ""): \(why.rawValue)")
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
            let update = response.headers.fields
            guard validates else {
                // The condition is the caller's own. The caller has the response, and the stored one may be the same.
                if stored.head.isMeant(by: update, isAsked: false) {
                    _ = try await freshened(stored, by: update, since: start)
                }
                return marked(response, CacheStatus(forward: why))
            }
            if stored.head.isMeant(by: update) {
                let (fresh, isKept) = try await freshened(stored, by: update, since: start)
                let left = Freshness.whole(fresh.terms.freshness.timeToLive(at: cache.now()))
                let status = CacheStatus(forward: why, forwardStatus: 304, timeToLive: left)
                let answer = try await kept(fresh, isValidated: true, status, exchange: response)
                if !isKept {
                    tell("the origin's 304 forbids to keep the stored response, which is removed")
                    try await remove()
                }
                if let answer {
                    tell("the stored response is still valid\(left > 0 ? ", for \(left) s" : "")")
                    return answer
                }
            } else {
                tell("the origin's 304 does not match the stored response, which is removed")
                try await remove()
            }
            return try await again(why)
        }
        if terms.method == .head, response.statusCode == 200 {
            let fields = response.headers.fields
            if stored.head.isDescribed(by: fields, status: 200) {
                if try await !freshened(stored, by: fields, since: start).isKept { try await remove() }
            } else {
                tell("the answer to HEAD does not match the stored response, which is removed")
                try await remove()
            }
        }
        return try await taken(response, why, since: start, replacing: stored.head)
    }

    /// Asks as if nothing had been stored.
    private func again(_ why: CacheStatus.Forward) async throws(CallError) -> Response {
        let transaction = CacheTransaction(
            caching: caching, request: request, terms: terms, key: key, call: call, next: next,
            removals: cache.removalCount)
        return try await transaction.ask(why, nil, validates: false)
    }

    private func marked(_ response: Response, _ status: CacheStatus) -> Response {
        var response = response
        response.headers.append(HTTPField(name: .cacheStatus, value: status.text))
        return response
    }

    /// The response from the cache, made on the storage's queue if that may block.
    private func kept(
        _ stored: StoredResponse, isValidated: Bool, _ status: CacheStatus, exchange: Response?
    ) async throws(CallError) -> Response? {
        try await caching.perform(call) {
            response(of: stored, at: cache.now(), isValidated: isValidated, status, exchange: exchange)
        }
    }

    /// The stored response in place of a failed origin's (RFC 5861 section 4), or nil if it must not be used.
    private func standIn(
        _ stored: StoredResponse, _ why: CacheStatus.Forward, _ failure: Response?
    ) async throws(CallError) -> Response? {
        let now = cache.now()
        guard !cache.hasRemoved(key, since: removals) else { return nil }
        guard CacheDecision.permitsStaleOnError(terms, stored.terms, at: now) else { return nil }
        let left = Freshness.whole(stored.terms.freshness.timeToLive(at: now))
        let status = CacheStatus(
            forward: why, forwardStatus: failure?.statusCode, timeToLive: left,
            detail: CacheDecision.Excuse.staleIfError.rawValue)
        guard let answer = try await kept(stored, isValidated: false, status, exchange: failure) else { return nil }
        tell("the origin fails, and the stored response is used (stale-if-error)")
        return answer
    }

    private func remove() async throws(CallError) {
        let (cache, key) = (cache, key)
        try await caching.change(call) { cache.remove(key: key) }
    }

    /// The stored response, updated by the origin's new fields.
    /// - Returns: also whether it may stay in the cache. The new fields may forbid that (RFC 9111 sections 4.1 and 5.2.2.5).
    private func freshened(
        _ stored: StoredResponse, by update: HTTPFields, since start: Double
    ) async throws(CallError) -> (StoredResponse, isKept: Bool) {
        var fresh = stored
        fresh.head = stored.head.updated(by: update, requestTime: start, responseTime: cache.now())
        // The update may change Vary. It concerns this request, so it takes this request's selecting fields.
        let vary = fresh.head.varying
        let selecting = StoredHead.selecting(
            vary: vary, in: request.headers.fields, terms.identity,
            setsCookies: update.contains(.setCookie) || stored.head.hasCookies, replacing: stored.head)
        guard let selecting, !StoringRules.isForbidden(by: fresh.head.fields, status: fresh.head.status) else {
            return (fresh, false)
        }
        fresh.head.selecting = selecting
        // A request that says no-store leaves nothing behind (RFC 9111 section 5.2.1.5).
        if terms.control.noStore { return (fresh, true) }
        let (storage, changed) = (cache.storage, fresh)
        try await caching.change(call) { storage.update(changed) }
        return (fresh, true)
    }

    // MARK: Storing

    /// Stores the origin's response if that is allowed, and returns it.
    /// - Parameter stored: the response that has answered such requests so far.
    private func taken(
        _ response: Response, _ why: CacheStatus.Forward, since start: Double, replacing stored: StoredHead? = nil
    ) async throws(CallError) -> Response {
        var response = response
        var status = CacheStatus(forward: why)
        let fields = response.headers.fields
        if let refusal = StoringRules.refusal(of: response.statusCode, fields, to: terms) {
            tell("the answer is not stored: \(refusal)")
            if StoringRules.isForbidden(by: fields, status: response.statusCode) {
                try await removeReplaced(stored, by: response.statusCode)
            }
        } else {
            var head = StoredHead(
                status: response.statusCode, version: response.version ?? .http11,
                fields: StoringRules.stored(fields), selecting: [:], requestTime: start, responseTime: cache.now())
            let selecting = StoredHead.selecting(
                vary: head.varying, in: request.headers.fields, terms.identity,
                setsCookies: fields.contains(.setCookie),
                replacing: stored)
            if let selecting {
                head.selecting = selecting
                do throws(CallError) {
                    let length = Int64(contentLength: fields[.contentLength])
                    let isReplacing = replaces(stored, by: response.statusCode)
                    status.isStored = try await store(head, &response, length: length, isReplacing: isReplacing)
                    if !status.isStored {
                        tell("the answer is not stored: the cache has no room for it, or fails")
                        try await removeReplaced(stored, by: response.statusCode)
                    }
                } catch {
                    // A response that has arrived must not fail because the cache runs out of time.
                    guard error.kind == .timeout else { throw error }
                    tell("the answer is not stored: the cache ran out of time")
                }
                report()
            } else {
                tell("the answer is not stored: its Vary is *")
                try await removeReplaced(stored, by: response.statusCode)
            }
        }
        return marked(response, status)
    }

    /// Whether a newer response with this status shows that the stored one is no longer right, also if the newer one is
    /// not stored.
    private func replaces(_ stored: StoredHead?, by status: Int) -> Bool {
        stored != nil && terms.method == .get && !terms.control.noStore && (200..<300).contains(status) && status != 206
    }

    private func removeReplaced(_ stored: StoredHead?, by status: Int) async throws(CallError) {
        guard replaces(stored, by: status), !cache.hasRemoved(key, since: removals) else { return }
        tell("the stored response is removed, since the newer one is not stored")
        try await caching.change(call) { removeOlder() }
    }

    /// Removes what is stored, unless it was stored since a removal, and so is newer than this response.
    private func removeOlder() {
        if !cache.hasRemoved(key, since: removals) { cache.remove(key: key, isUrgent: false) }
    }

    /// - Parameter isReplacing: whether what is stored is removed if this response cannot be stored in the end.
    /// - Returns: whether the response is stored, or will be after it has been read to its end.
    private func store(
        _ head: StoredHead, _ response: inout Response, length: Int64?, isReplacing: Bool
    ) async throws(CallError) -> Bool {
        let (cache, key, removals) = (cache, key, removals)
        switch response.body.content {
        case .whole(let bytes):
            return try await caching.perform(call) {
                guard !cache.hasRemoved(key, since: removals),
                    let writer = cache.storage.store(head, under: key, length: Int64(bytes.count)),
                    bytes.count == 0 || writer.write(bytes)
                else { return false }
                return writer.finish()
            }
        case .stream(let source):
            let writer = try await caching.perform(call) { cache.storage.store(head, under: key, length: length) }
            guard let writer else { return false }
            response.body = ResponseBody(
                StoringSource(source, writer, queue: cache.storage.queue, call) {
                    !cache.hasRemoved(key, since: removals)
                } hasFailed: {
                    if isReplacing { removeOlder() }
                } isOver: {
                    report()
                })
            return true
        }
    }
}

extension CallError {
    /// Whether the origin, or the way to it, is out of order. An error that is a deliberate refusal is not an outage.
    fileprivate var isOutage: Bool {
        switch kind {
        case .nameResolution, .connectionFailed, .proxy, .connectionLost, .emptyReply, .incompleteResponse: true
        case .timeout: timeout != .total
        default: false
        }
    }
}
