// JSONLines: a body with one JSON value a line, read as it arrives.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import TsubameCore

/// The values of a body of JSON lines (`application/x-ndjson`). Empty lines are skipped.
public struct JSONLines<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    let lines: Lines
    let coding: JSONCoding

    /// Gives the values, each decoded when it is asked for.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var lines: Lines.AsyncIterator
        private let decoder: JSONDecoder
        private var number = 0

        fileprivate init(_ lines: Lines, _ coding: JSONCoding) {
            self.lines = lines.makeAsyncIterator()
            decoder = coding.decoder()
        }

        /// The next value; nil at the end.
        /// - Throws: ``CallError/Kind/decoding`` with the number of the line, or the error of reading the lines.
        public mutating func next() async throws(CallError) -> Element? {
            while let line = try await lines.next() {
                number += 1
                if line.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                do {
                    return try decoder.decode(Element.self, from: Data(line.utf8))
                } catch {
                    throw CallError(
                        .decoding,
                        "line \(number) cannot be decoded as \(Element.self) from JSON: \(Response.words(error))",
                        phase: .decoding, underlying: error)
                }
            }
            return nil
        }
    }

    /// Continues where the body is. A streamed body can be read only once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lines, coding) }
}

extension Response {
    /// The values of a body with one JSON value a line, as they arrive, decoded as ``Configuration/json`` says.
    ///
    /// ```swift
    /// try await api.stream(request) { response in
    ///     for try await entry in try await response.accepted().jsonLines(Entry.self) { … }
    /// }
    /// ```
    public func jsonLines<T: Decodable & Sendable>(_ type: T.Type = T.self) -> JSONLines<T> {
        JSONLines(lines: body.lines, coding: details.valueRules.json)
    }
}
