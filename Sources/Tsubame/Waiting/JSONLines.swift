// JSONLines: a body as one JSON value a line, as they come.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import TsubameCore

/// The values of a body of JSON lines (`application/x-ndjson`); empty lines are passed over.
public struct JSONLines<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    let lines: Lines
    let coding: JSONCoding

    /// Gives the values, each when it is asked for.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var lines: Lines.AsyncIterator
        private let decoder: JSONDecoder
        private var number = 0

        fileprivate init(_ lines: Lines, _ coding: JSONCoding) {
            self.lines = lines.makeAsyncIterator()
            decoder = coding.decoder()
        }

        /// The next value; nil at the end.
        /// - Throws: ``CallError/Kind/decoding`` with the number of the line, and what reading the lines throws.
        public mutating func next() async throws(CallError) -> Element? {
            while let line = try await lines.next() {
                number += 1
                if line.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                do {
                    return try decoder.decode(Element.self, from: Data(line.utf8))
                } catch {
                    throw CallError(
                        .decoding, "line \(number) is no JSON of \(Element.self): \(Response.words(error))",
                        phase: .decoding, underlying: error)
                }
            }
            return nil
        }
    }

    /// Reads on where the body is: a streamed body can be read once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lines, coding) }
}

extension Response {
    /// The body as one JSON value a line, as they come, decoded as ``Configuration/json`` says.
    ///
    /// ```swift
    /// try await api.stream(request) { response in
    ///     for try await entry in try await response.accepted().jsonLines(Entry.self) { … }
    /// }
    /// ```
    public func jsonLines<T: Decodable & Sendable>(_ type: T.Type = T.self) -> JSONLines<T> {
        JSONLines(lines: body.lines, coding: details.json as? JSONCoding ?? .standard)
    }
}
