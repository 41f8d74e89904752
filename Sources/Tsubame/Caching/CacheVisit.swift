// CacheVisit: one request at the cache.

import HTTPTypes
import TsubameCore
import TsubameWire

struct CacheVisit: Sendable {
    enum Finding: Sendable {
        case answer(Response, refreshing: StoredResponse?)
        /// The origin has to be asked; with the condition of what is stored, if it says so.
        case ask(CacheStatus.Forward, stored: StoredResponse?, validates: Bool)
    }

    /// Seconds that clocks may differ by.
    private static let mostAhead = 86_400.0

    let caching: Caching
    let request: Request
    let terms: CacheTerms
    let key: String
    let call: Call
    let next: Onward
    /// Where the list of what was forgotten ended when this began.
    let removals: UInt64

    var cache: ResponseCache { caching.cache }

    func answer() async throws(CallError) -> Response {
        let finding: Finding
        if cache.keeper.queue == nil {
            finding = look()
        } else {
            finding = try await caching.perform(call) { look() }
        }
        report()
        switch finding {
        case .answer(let response, let stale):
            if let stale { refresh(stale) }
            return response
        case .ask(let why, let stored, let validates):
            return try await ask(why, stored, validates: validates)
        }
    }

    /// What is stored and what follows from it.
    private func look() -> Finding {
        let now = cache.now()
        let responses = cache.keeper.responses(to: key)
        // One that has come in days to come was stored by a clock that was wrong, or is damaged.
        let stored = responses.first {
            $0.head.answers(request.headers, terms.identity) && $0.head.responseTime < now + Self.mostAhead
        }
        let miss: CacheStatus.Forward = responses.isEmpty ? .uriMiss : .varyMiss
        switch CacheDecision(terms, stored: stored?.terms, at: now, otherwise: miss) {
        case .reuse(let excuse):
            guard let stored else { return .ask(miss, stored: nil, validates: false) }
            let left = Freshness.whole(stored.terms.freshness.timeToLive(at: now))
            let status = CacheStatus(isHit: true, timeToLive: left, detail: excuse?.rawValue)
            guard let response = response(of: stored, at: now, isValidated: false, status) else {
                // Several parts of it are wanted, or it has just been forgotten.
                if terms.onlyIfCached { return .answer(refused(), refreshing: nil) }
                return .ask(terms.range == nil ? miss : .bypass, stored: nil, validates: false)
            }
            tell(
                excuse.map { "what is stored is \(-left) s stale, which \($0.rawValue) allows" }
                    ?? "what is stored is fresh for \(left) s")
            return .answer(response, refreshing: excuse == .staleWhileRevalidate ? stored : nil)
        case .validate(let why): return .ask(why, stored: stored, validates: true)
        case .forward(let why): return .ask(why, stored: stored, validates: false)
        case .refuse: return .answer(refused(), refreshing: nil)
        }
    }

    /// Tells what has happened to the place where responses are kept.
    func report() { for notice in cache.keeper.takeNotices() { call.emit(.decision(notice)) } }

    func tell(_ what: @autoclosure () -> String) { call.emit(.caching(what())) }

    /// RFC 9111 section 5.2.1.7.
    private func refused() -> Response {
        tell("nothing that may be used is stored, and nobody may be asked")
        let fields: HTTPFields = [.cacheStatus: CacheStatus(detail: "only-if-cached").text, .contentLength: "0"]
        return Response(
            statusCode: 504, headers: fields, body: ReceivedBody(), details: details(fields, nil))
    }

    /// The answer that a stored response gives to this request: all of it, a part, its fields, or that the caller has it
    /// already. nil if that is for the origin to say, or if its body is not there any more.
    /// - Parameter exchange: what the origin said about it.
    func response(
        of stored: StoredResponse, at now: Double, isValidated: Bool, _ status: CacheStatus, exchange: Response? = nil
    ) -> Response? {
        var fields = stored.head.answer(stored.terms, at: now, isValidated: isValidated, status: status)
        var code = stored.head.status
        var body = ReceivedBody()
        if code == 200, !terms.conditions.isEmpty, terms.conditions.areMet(by: stored.terms) {
            code = 304
            fields = StoredHead.notModified(fields)
        } else if terms.method == .get {
            var part: Range<Int64>?
            if code == 200, terms.range != nil {
                let length = stored.bodyLength
                switch StoredRange(terms.range, ifRange: terms.ifRange, of: stored.terms, length: length) {
                case .whole: break
                case .part(let range):
                    part = range
                    code = 206
                    fields = StoredHead.partial(fields, range, of: length)
                case .unsatisfiable:
                    code = 416
                    fields = StoredHead.partial(fields, nil, of: length)
                case .unknown: return nil
                }
            }
            if code != 416 {
                guard let kept = cache.keeper.body(of: stored, from: part?.lowerBound ?? 0) else { return nil }
                body = part.map { kept.limited(to: $0.upperBound - $0.lowerBound) } ?? kept
            }
        }
        return Response(statusCode: code, headers: fields, body: body, details: details(fields, exchange))
    }

    private func details(_ fields: HTTPFields, _ exchange: Response?) -> ResponseDetails {
        var timings = exchange?.timings ?? Timings()
        if exchange == nil {
            timings.start = call.start
            timings.headAt = MonotonicClock.now
            timings.endAt = timings.headAt
        }
        return ResponseDetails(
            head: nil, request: exchange?.request ?? request, connection: exchange?.connection, timings: timings,
            history: exchange?.history ?? [], trailers: nil, storedFields: fields)
    }

    /// Brings a stale response up to date after it has been used, unless that is being done (RFC 5861 section 3).
    private func refresh(_ stored: StoredResponse) {
        guard cache.beginRefresh(stored) else { return }
        var request = request
        if request.method == .head { request.method = .get }
        request.timeouts = Timeouts()
        request.cachePolicy = .standard
        // Of the caller's own, which have been answered.
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .range, .ifRange, .cacheControl] {
            request.headers[fields: name] = []
        }
        let terms = CacheTerms(.get, request.headers, policy: .standard, identity: terms.identity)
        let (sent, caching, key, next, removals) = (request, caching, key, next, removals)
        let isGuarded = next.corridor.hasForeignArounds
        caching.background.start(request, isGuarded: isGuarded, isOver: { caching.cache.endRefresh(stored) }) {
            call throws(CallError) in
            let visit = CacheVisit(
                caching: caching, request: sent, terms: terms, key: key, call: call, next: next, removals: removals)
            var response = try await visit.ask(.stale, stored, validates: stored.terms.canBeValidated)
            if case .stream(let source) = response.body.content {
                if source is StoringSource {
                    while try await source.next() != nil {}
                } else {
                    source.cancel()
                }
            }
            response.body = ReceivedBody()
            return response
        }
    }
}
