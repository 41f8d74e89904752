// Pages: the responses of an API that divides its answer into pages.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

/// The pages of an answer, each requested when it is asked for. A page whose status is not accepted is thrown as
/// ``CallError/Kind/status``.
///
/// The sequence ends with ``CallError/Kind/redirect`` before a page that has been requested already, unless the request has
/// a body.
public struct Pages: AsyncSequence, Sendable {
    /// One page.
    public typealias Element = Response
    /// The error with which the sequence fails.
    public typealias Failure = CallError

    /// How the request of the next page is found.
    enum Following: Sendable {
        case link
        case closure(@Sendable (Response) throws -> Request?)
    }

    let client: Client
    let first: Request
    let following: Following

    /// Each iterator begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Gives one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pages: Pages
        /// The request of the next page, or why there is none.
        private var next: Result<Request, CallError>?
        private let home: TargetURI?
        /// Whether the first page is of another origin than the client's. Its credentials are then the caller's, for that
        /// origin alone.
        private let isForeign: Bool
        /// Whether a page came from another origin. What was left out then stays left out.
        private var hasLeft = false
        private var seen: Set<String> = []

        init(_ pages: Pages) {
            self.pages = pages
            next = .success(pages.first)
            // The first request may have options of its own.
            let (client, plain) = pages.client.resolved(pages.first)
            let prepared = try? client.prepare(plain)
            home = prepared?.uri
            isForeign = prepared?.isCrossOrigin == true
        }

        /// The next page; nil after the last.
        /// - Throws: ``CallError``; its kind is `interceptor` for an error of the closure that makes the next request. It is
        ///   `redirect` for a page that was requested before, is not on http or https, or leaves https.
        public mutating func next() async throws(CallError) -> Response? {
            guard let current = next else { return nil }
            // An error is the end, too.
            next = nil
            let request = try current.get()
            let response = try await pages.client.send(request).accepted()
            note(request)
            if let uri = response.request.uri { seen.insert(uri.string) }
            // A page that arrived is given before its successor fails.
            do throws(CallError) {
                if let following = try following(response) {
                    guard isNew(following) else {
                        throw CallError(
                            .redirect, "the next page has been requested before: \(following.summary)",
                            phase: .decoding, request: response.request, response: response)
                    }
                    next = .success(following)
                }
            } catch {
                next = .failure(error)
            }
            return response
        }

        private func url(of request: Request) -> String? {
            guard request.body.isEmpty else { return nil }
            return (try? pages.client.prepare(request))?.uri?.string
        }

        private mutating func note(_ request: Request) {
            if let url = url(of: request) { seen.insert(url) }
        }

        private func isNew(_ request: Request) -> Bool { url(of: request).map { !seen.contains($0) } ?? true }

        private mutating func following(_ response: Response) throws(CallError) -> Request? {
            switch pages.following {
            case .link: return try linked(response)
            case .closure(let make):
                do {
                    return try make(response)
                } catch let error as CallError {
                    throw error
                } catch {
                    throw CallError(
                        .interceptor, "the next page's request could not be made: \(error)", phase: .decoding,
                        underlying: error, request: response.request, response: response)
                }
            }
        }

        private mutating func linked(_ response: Response) throws(CallError) -> Request? {
            guard let link = LinkField.target(of: "next", in: response.headers[values: "Link"]),
                let base = response.request.uri
            else { return nil }
            func failure(_ reason: String) -> CallError {
                CallError(.redirect, reason, phase: .decoding, request: response.request, response: response)
            }
            guard case .uri(let resolved) = try base.resolving(link, redaction: response.request.redaction) else {
                throw failure("the next page is on no http or https URL")
            }
            // The first request may have options of its own.
            let (client, _) = pages.client.resolved(pages.first)
            let uri = resolved.reached(from: base, client.configuration.hsts.store)
            guard uri.isSecure || !base.isSecure else {
                throw failure("the next page is not on https: \(response.request.redaction.url(uri.string))")
            }
            var next = pages.first
            next.target = .uri(uri)
            next.body = .empty
            if !mayStay(at: uri.origin, after: response, client) { hasLeft = true }
            if hasLeft {
                next.isCrossOrigin = true
                CrossOriginFields(client.configuration).strip(&next)
            }
            return next
        }

        /// Whether the request of the next page gets the credentials of the first. A page that came by a redirect from
        /// another origin has chosen the URL of the next one, too.
        private func mayStay(at origin: Origin, after response: Response, _ client: Client) -> Bool {
            guard let home else { return false }
            guard isForeign else { return !response.request.isCrossOrigin && client.owns(origin, home: home) }
            let passed = (response.history + [response]).map { $0.request.uri?.origin } + [origin]
            return passed.allSatisfy { $0.map { client.isHome($0, home) } ?? false }
        }
    }
}

extension Client {
    /// The pages of a path whose responses name the next one by `Link: <…>; rel="next"` (RFC 8288).
    ///
    /// ```swift
    /// for try await page in api.pages("users") { users += try await page.json([User].self) }
    /// ```
    public func pages(_ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:]) -> Pages {
        pages(Request(.get, path, query: query, headers: headers))
    }

    /// The pages of a path given as text, which is already percent-encoded and may have several segments.
    public func pages(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:]
    ) -> Pages {
        pages(Request(.get, path: path, query: query, headers: headers))
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write path: text for a path, or \"\\(text)\" to escape it as one segment"
    )
    public func pages(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:]
    ) -> Pages {
        pages(Request(.get, path: path, query: query, headers: headers))
    }

    /// The pages of a whole URL whose responses name the next one by `Link: <…>; rel="next"` (RFC 8288).
    public func pages(url: String, query: Parameters = [:], headers: RequestHeaders = [:]) -> Pages {
        pages(Request(.get, url: url, query: query, headers: headers))
    }

    /// The pages of a whole URL whose responses name the next one by `Link: <…>; rel="next"` (RFC 8288).
    public func pages(url: URL, query: Parameters = [:], headers: RequestHeaders = [:]) -> Pages {
        pages(Request(.get, url: url, query: query, headers: headers))
    }

    /// The pages of a request whose responses name the next one by `Link: <…>; rel="next"` (RFC 8288). The next request
    /// has the headers and the settings of this one, and no body. At another origin, the client's fields and all credentials
    /// are left out, unless ``Configuration/allowedOrigins`` names it. They stay left out on the pages after it.
    public func pages(_ request: Request) -> Pages { Pages(client: self, first: request, following: .link) }

    /// The pages of a request. The closure makes the request of the next page from the last; nil ends the sequence.
    ///
    /// ```swift
    /// let pages = api.pages(Request(.get, "users")) { page in
    ///     try page.json(Page.self).next.map { Request(.get, "users", query: ["cursor": $0]) }
    /// }
    /// ```
    public func pages(_ request: Request, next: @escaping @Sendable (Response) throws -> Request?) -> Pages {
        Pages(client: self, first: request, following: .closure(next))
    }
}
