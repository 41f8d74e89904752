// Caching: the interceptor that answers requests from a cache and stores responses in it (RFC 9111).

import HTTPTypes
import TsubameCore
import TsubameWire

/// The cache is outside the retries, so that a stale response is used only after they have failed. It is inside the
/// decoding, so that bodies are stored with their content codings. An answer from memory needs no task, no hop and no
/// timer.
final class Caching: CallInterceptor {
    let name = "Cache"
    let cache: ResponseCache
    let background: BackgroundCalls
    private let redaction: Redaction
    /// The parts of the caller's identity that are the same for all requests: the connection settings and the jar.
    private let settings: String
    private let jar: CookieJar?
    /// The fields of most requests, and their terms.
    private let preset: HTTPFields
    private let presetTerms: CacheTerms?

    init(_ cache: ResponseCache, _ configuration: Configuration, preset: HTTPFields, background: BackgroundCalls) {
        self.cache = cache
        self.background = background
        self.preset = preset
        let redaction = Redaction(secrets: configuration.secrets.union(configuration.authentication.secretFields))
        self.redaction = redaction
        let (settings, jar) = (configuration.connection.cacheIdentity, configuration.cookies.jar)
        (self.settings, self.jar) = (settings, jar)
        presetTerms =
            preset.contains(.host)
            ? nil
            : CacheTerms(
                .get, preset, policy: .standard,
                identity: CacheIdentity(preset, settings: settings, authority: "") { redaction.isSecret(field: $0) })
    }

    func intercept(_ request: Request, _ call: Call, next: CallNext) async throws(CallError) -> Response {
        guard let uri = request.uri else { return try await next(request, call) }
        let terms = terms(of: request, uri)
        if case .other(let isSafe) = terms.method { return try await pass(request, uri, isSafe: isSafe, call, next) }
        let transaction = CacheTransaction(
            caching: self, request: request, terms: terms, key: CacheKey.of(uri), call: call, next: next,
            removals: cache.removalCount)
        return try await transaction.answer()
    }

    private func terms(of request: borrowing Request, _ uri: TargetURI) -> CacheTerms {
        if let presetTerms, request.method == .get, PreencodedFields.isSame(preset, request.headers.fields),
            request.body.isEmpty, request.cachePolicy == .standard
        {
            var terms = presetTerms
            terms.identity.jar = jar?.owner
            return terms
        }
        let isQuery = request.method == .query
        let content = isQuery ? Self.content(of: request) : nil
        // A request that another client's jar has given cookies counts as if the caller had set them.
        let sender = jar == nil ? nil : request.jarOwner
        let identity = CacheIdentity(
            request.headers.fields, content: content, settings: settings, jar: sender ?? jar?.owner,
            endsWithJarCookies: sender != nil, authority: uri.authority
        ) {
            redaction.isSecret(field: $0)
        }
        return CacheTerms(
            request.method, request.headers.fields, policy: request.cachePolicy, identity: identity,
            hasOtherContent: isQuery ? content == nil : !request.body.isEmpty)
    }

    /// The content of a request, or nil if it is not known before it is sent.
    private static func content(of request: borrowing Request) -> Bytes? {
        if request.body.isEmpty { return Bytes() }
        return request.body.trailers == nil ? request.body.bytes : nil
    }

    /// Sends a request that no cache answers.
    private func pass(
        _ request: Request, _ uri: TargetURI, isSafe: Bool, _ call: Call, _ next: CallNext
    ) async throws(CallError) -> Response {
        var response = try await next(request, call)
        if !isSafe {
            let keys = CacheKey.invalidated(by: response.statusCode, response.headers, to: uri)
            if !keys.isEmpty {
                let cache = cache
                try await change(call) { for key in keys { cache.remove(key: key) } }
                call.emit(.caching("\(request.method.rawValue) removes the stored responses of this URI"))
            }
        }
        response.headers.append(HTTPField(name: .cacheStatus, value: CacheStatus(forward: .method).text))
        return response
    }

    /// Changes stored responses. A call that reaches its deadline meanwhile does not wait, and does not fail. The change is
    /// still made, also if the call is cancelled.
    func change(_ call: Call, _ work: @escaping @Sendable () -> Void) async throws(CallError) {
        guard let queue = cache.storage.queue else { return work() }
        do throws(CallError) {
            try await BlockingWork.complete(on: queue, call, work)
        } catch {
            guard error.kind == .timeout else { throw error }
        }
    }

    /// Runs work that may block on the storage's queue, if the storage has one.
    func perform<T: Sendable>(_ call: Call, _ work: @escaping @Sendable () -> T) async throws(CallError) -> T {
        guard let queue = cache.storage.queue else { return work() }
        return try await BlockingWork.run(on: queue, call, work)
    }
}
