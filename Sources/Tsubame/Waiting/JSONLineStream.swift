// JSONLineStream: the values of a resource with one JSON value a line.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

/// The values of a resource of JSON lines (`application/x-ndjson`), each decoded when it is asked for.
///
/// The request is sent when the first value is asked for. A status that is not accepted is thrown as
/// ``CallError/Kind/status``. When the loop over the values ends, the connection does, too.
public struct JSONLineStream<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    /// The error with which the stream fails.
    public typealias Failure = CallError

    let client: Client
    let request: Request

    /// Each iterator sends the request.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            ValuePump(request) { [self] target in
                do {
                    try await client.stream(request) { response in
                        for try await value in try await response.accepted().jsonLines(Element.self) {
                            guard await target.give(value) else { return }
                        }
                    }
                    target.end()
                } catch let error as CallError {
                    target.end(error)
                } catch {
                    target.end(CallError(.interceptor, "\(error)", underlying: error))
                }
            })
    }

    /// Gives the values of one response.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pump: ValuePump<Element>

        fileprivate init(_ pump: ValuePump<Element>) { self.pump = pump }

        /// The next value; nil at the end.
        /// - Throws: ``CallError``; its kind is `decoding` for a line that is no such value.
        public mutating func next() async throws(CallError) -> Element? { try await pump.next() }
    }
}

extension Client {
    /// The values of a path that answers with one JSON value a line, decoded as ``Configuration/json`` says.
    ///
    /// ```swift
    /// for try await entry in api.jsonLines("log", of: Entry.self) { print(entry) }
    /// ```
    public func jsonLines<T: Decodable & Sendable>(
        _ path: RequestPath, of type: T.Type = T.self, query: Parameters = [:], headers: RequestHeaders = [:]
    ) -> JSONLineStream<T> {
        jsonLines(Request(.get, path, query: query, headers: headers), of: type)
    }

    /// The values of a path given as text, which is already percent-encoded and may have several segments.
    public func jsonLines<T: Decodable & Sendable>(
        path: String, of type: T.Type = T.self, query: Parameters = [:], headers: RequestHeaders = [:]
    ) -> JSONLineStream<T> {
        jsonLines(Request(.get, path: path, query: query, headers: headers), of: type)
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write path: text for a path, or \"\\(text)\" to escape it as one segment"
    )
    public func jsonLines<T: Decodable & Sendable>(
        _ path: String, of type: T.Type = T.self, query: Parameters = [:], headers: RequestHeaders = [:]
    ) -> JSONLineStream<T> {
        jsonLines(Request(.get, path: path, query: query, headers: headers), of: type)
    }

    /// The values of a whole URL that answers with one JSON value a line.
    public func jsonLines<T: Decodable & Sendable>(
        url: String, of type: T.Type = T.self, query: Parameters = [:], headers: RequestHeaders = [:]
    ) -> JSONLineStream<T> {
        jsonLines(Request(.get, url: url, query: query, headers: headers), of: type)
    }

    /// The values of a whole URL that answers with one JSON value a line.
    public func jsonLines<T: Decodable & Sendable>(
        url: URL, of type: T.Type = T.self, query: Parameters = [:], headers: RequestHeaders = [:]
    ) -> JSONLineStream<T> {
        jsonLines(Request(.get, url: url, query: query, headers: headers), of: type)
    }

    /// The values of a request that is answered with one JSON value a line.
    public func jsonLines<T: Decodable & Sendable>(_ request: Request, of type: T.Type = T.self) -> JSONLineStream<T> {
        JSONLineStream(client: self, request: request)
    }
}
