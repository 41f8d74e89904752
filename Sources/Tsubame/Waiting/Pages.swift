// Pages: the responses of an API that divides its answer into pages.

public import TsubameCore
public import TsubameWire

/// The pages of an answer, each requested when it is asked for. A page whose status is not accepted is thrown as
/// ``CallError/Kind/status``.
///
/// A page that has been requested before ends the sequence with ``CallError/Kind/redirect``, because it would never end.
public struct Pages: AsyncSequence, Sendable {
    /// One page.
    public typealias Element = Response
    /// The error with which the sequence fails.
    public typealias Failure = CallError

    let client: Client
    let first: Request
    let next: @Sendable (Response) throws -> Request?

    /// Each iterator begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(client: client, request: first, following: next) }

    /// Gives one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let client: Client
        var request: Request?
        let following: @Sendable (Response) throws -> Request?
        private var seen: Set<String> = []

        init(
            client: Client, request: Request, following: @escaping @Sendable (Response) throws -> Request?
        ) {
            self.client = client
            self.request = request
            self.following = following
        }

        /// The next page; nil after the last.
        /// - Throws: ``CallError``; its kind is `interceptor` for an error of the closure that makes the next request.
        public mutating func next() async throws(CallError) -> Response? {
            guard let request else { return nil }
            // An error is the end, too.
            self.request = nil
            let response = try await client.send(request).accepted()
            do {
                self.request = try following(response)
            } catch let error as CallError {
                throw error
            } catch {
                throw CallError(
                    .interceptor, "the next page's request could not be made: \(error)", phase: .decoding,
                    underlying: error, request: response.request, response: response)
            }
            if let next = self.request, next.body.isEmpty, let uri = response.request.uri {
                seen.insert(uri.string)
                guard next.uri.map({ !seen.contains($0.string) }) ?? true else {
                    self.request = nil
                    throw CallError(
                        .redirect, "the next page has been requested before: \(next.summary)", phase: .decoding,
                        request: response.request, response: response)
                }
            }
            return response
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

    /// The pages of a whole URL whose responses name the next one by `Link: <…>; rel="next"` (RFC 8288).
    public func pages(url: String, query: Parameters = [:], headers: RequestHeaders = [:]) -> Pages {
        pages(Request(.get, url: url, query: query, headers: headers))
    }

    /// The pages of a request whose responses name the next one by `Link: <…>; rel="next"` (RFC 8288). The next request
    /// has the headers and the settings of this one, and no body. At another origin, the client's fields and credentials
    /// are left out, unless ``Configuration/allowedOrigins`` names it.
    public func pages(_ request: Request) -> Pages {
        let crossOriginFields = CrossOriginFields(configuration)
        return pages(request) { response in
            guard let link = LinkField.target(of: "next", in: response.headers[values: "Link"]),
                let base = response.request.uri
            else { return nil }
            guard case .uri(let uri) = try base.resolving(link, redaction: request.redaction) else {
                throw CallError(
                    .redirect, "the next page is on no http or https URL", phase: .decoding, request: response.request,
                    response: response)
            }
            guard uri.isSecure || !base.isSecure else {
                throw CallError(
                    .redirect, "the next page is not on https: \(request.redaction.url(uri.string))", phase: .decoding,
                    request: response.request, response: response)
            }
            var next = request
            next.target = .uri(uri)
            next.body = .empty
            if uri.origin != base.origin { crossOriginFields.strip(&next) }
            return next
        }
    }

    /// The pages of a request. The closure makes the request of the next page from the last; nil ends the sequence.
    ///
    /// ```swift
    /// let pages = api.pages(Request(.get, "users")) { page in
    ///     try page.json(Page.self).next.map { Request(.get, "users", query: ["cursor": $0]) }
    /// }
    /// ```
    public func pages(_ request: Request, next: @escaping @Sendable (Response) throws -> Request?) -> Pages {
        Pages(client: self, first: request, next: next)
    }
}
