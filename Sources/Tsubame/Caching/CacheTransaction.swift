// CacheTransaction: the handling of one request by the cache.

import HTTPTypes
import TsubameCore
import TsubamePlatform
import TsubameWire

struct CacheTransaction: Sendable {
    enum Finding: Sendable {
        case answer(Response, refreshing: StoredResponse?)
        /// The origin must be asked; `validates` says whether with a condition from the stored response.
        case ask(CacheStatus.Forward, stored: StoredResponse?, validates: Bool)
    }

    /// How far the clocks may differ, in seconds.
    private static let mostAhead = 86_400.0

    let caching: Caching
    let request: Request
    let terms: CacheTerms
    let key: String
    let call: Call
    let next: CallNext
    /// The end of the list of removals when this transaction began.
    let removals: UInt64

    var cache: ResponseCache { caching.cache }

    func answer() async throws(CallError) -> Response {
        let finding: Finding
        if cache.storage.queue == nil {
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

    /// Looks up a stored response and decides what to do.
    private func look() -> Finding {
        let now = cache.now()
        let responses = cache.responses(to: key)
        // A response time in the far future comes from a wrong clock or from damage.
        let stored = responses.first {
            $0.head.answers(request.headers.fields, terms.identity) && $0.head.responseTime < now + Self.mostAhead
        }
        let miss: CacheStatus.Forward = responses.isEmpty ? .uriMiss : .varyMiss
        switch CacheDecision(terms, stored: stored?.terms, at: now, otherwise: miss) {
        case .reuse(let excuse):
            guard let stored else { return .ask(miss, stored: nil, validates: false) }
            let left = Freshness.whole(stored.terms.freshness.timeToLive(at: now))
            let status = CacheStatus(isHit: true, timeToLive: left, detail: excuse?.rawValue)
            guard let response = response(of: stored, at: now, isValidated: false, status) else {
                // Either the request asks for several ranges, or the response was removed just now.
                if terms.onlyIfCached { return .answer(refused(), refreshing: nil) }
                return .ask(terms.range == nil ? miss : .bypass, stored: nil, validates: false)
            }
            tell(
                excuse.map { "the stored response is \(-left) s stale, which \($0.rawValue) allows" }
                    ?? "the stored response is fresh for \(left) s")
            return .answer(response, refreshing: excuse == .staleWhileRevalidate ? stored : nil)
        case .validate(let why): return .ask(why, stored: stored, validates: true)
        case .forward(let why): return .ask(why, stored: stored, validates: false)
        case .refuse: return .answer(refused(), refreshing: nil)
        }
    }

    /// Reports the notices of the storage as events of the call.
    func report() { for notice in cache.storage.takeNotices() { call.emit(.decision(notice)) } }

    func tell(_ what: @autoclosure () -> String) { call.emit(.caching(what())) }

    /// The response 504 to a request that forbids asking the origin (RFC 9111 section 5.2.1.7).
    private func refused() -> Response {
        tell("no stored response may be used, and the request forbids asking the origin (only-if-cached)")
        let fields: HTTPFields = [.cacheStatus: CacheStatus(detail: "only-if-cached").text, .contentLength: "0"]
        return Response(
            statusCode: 504, headers: fields, body: ResponseBody(), details: details(nil, of: nil, nil))
    }

    /// Answers this request from a stored response. The answer is the whole response, a part of it, its fields, or 304
    /// if the caller already has it. Returns nil if the origin must answer, or if the body is no longer stored.
    /// - Parameter exchange: the origin's response about the stored one.
    func response(
        of stored: StoredResponse, at now: Double, isValidated: Bool, _ status: CacheStatus, exchange: Response? = nil
    ) -> Response? {
        var fields = stored.head.answer(stored.terms, at: now, isValidated: isValidated, status: status)
        var code = stored.head.status
        var body = ResponseBody()
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
                guard let kept = cache.storage.body(of: stored, from: part?.lowerBound ?? 0) else { return nil }
                body = part.map { kept.limited(to: $0.upperBound - $0.lowerBound) } ?? kept
            }
        }
        return Response(statusCode: code, headers: fields, body: body, details: details(fields, of: stored, exchange))
    }

    /// - Parameter fields: the stored fields of a response from the cache; nil for a response that was made here.
    private func details(
        _ fields: HTTPFields?, of stored: StoredResponse?, _ exchange: Response?
    ) -> ResponseDetails {
        var timings = exchange?.timings ?? Timings()
        if exchange == nil {
            timings.start = call.start
            timings.headAt = MonotonicClock.now
            timings.endAt = timings.headAt
        }
        return ResponseDetails(
            fields.map { .cache($0, stored?.head.version) } ?? .unchanged, request: exchange?.request ?? request,
            connection: exchange?.connection, timings: timings, history: exchange?.history ?? [], trailers: nil,
            metrics: exchange?.details.metrics)
    }

    /// Revalidates a stale response in the background after its use, unless this is being done already (RFC 5861
    /// section 3).
    private func refresh(_ stored: StoredResponse) {
        guard cache.beginRefresh(stored) else { return }
        var request = request
        if request.method == .head { request.method = .get }
        request.timeouts = Timeouts()
        request.cachePolicy = .standard
        // The conditions of the caller have been answered already.
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .range, .ifRange, .cacheControl] {
            request.headers[name] = nil
        }
        let terms = CacheTerms(.get, request.headers.fields, policy: .standard, identity: terms.identity)
        let (sent, caching, key, next, removals) = (request, caching, key, next, removals)
        let isGuarded = next.chain.hasUserInterceptors
        caching.background.start(request, isGuarded: isGuarded, isOver: { caching.cache.endRefresh(stored) }) {
            call throws(CallError) in
            let transaction = CacheTransaction(
                caching: caching, request: sent, terms: terms, key: key, call: call, next: next, removals: removals)
            var response = try await transaction.ask(.stale, stored, validates: stored.terms.canBeValidated)
            if case .stream(let source) = response.body.content {
                if source is StoringSource {
                    while try await source.next() != nil {}
                } else {
                    source.cancel()
                }
            }
            response.body = ResponseBody()
            return response
        }
    }
}
