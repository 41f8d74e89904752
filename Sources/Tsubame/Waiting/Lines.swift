// Lines: a body as lines of text, read as they arrive.

public import TsubameCore
import TsubameWire

/// The lines of a body in UTF-8, without their ends (`\n`, `\r\n` or `\r`). A wrong byte becomes U+FFFD. The last
/// line counts even without an end.
public struct Lines: AsyncSequence, Sendable {
    /// One line without its end.
    public typealias Element = String

    let body: ResponseBody
    let limit: Int

    /// Gives the lines, each read when it is asked for.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var chunks: ResponseBody.AsyncIterator
        private var splitter: LineSplitter
        private var chunk = Bytes()
        private var position = 0
        /// Whether the body has ended. The line that comes then is one that the end has cut off.
        private(set) var isAtEnd = false

        fileprivate init(_ body: ResponseBody, _ limit: Int) {
            chunks = body.makeAsyncIterator()
            splitter = LineSplitter(limit: limit)
        }

        /// The next line; nil at the end.
        /// - Throws: ``CallError/Kind/limitExceeded`` for a line longer than 8 MiB, or the error of reading the
        ///   body.
        public mutating func next() async throws(CallError) -> String? {
            while !isAtEnd {
                if let line = try split() { return line }
                if let next = try await chunks.next() {
                    chunk = next
                    position = 0
                } else {
                    isAtEnd = true
                }
            }
            return splitter.finish()
        }

        private mutating func split() throws(CallError) -> String? {
            do throws(WireError) {
                return try chunk.withUnsafeBytes { bytes throws(WireError) in try splitter.next(bytes, &position) }
            } catch {
                throw CallError(error, phase: .receivingBody)
            }
        }
    }

    /// Continues where the body is. A streamed body can be read only once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body, limit) }
}

extension ResponseBody {
    /// The body as lines of text, as they arrive.
    ///
    /// ```swift
    /// try await api.stream(request) { response in
    ///     for try await line in response.body.lines { print(line) }
    /// }
    /// ```
    public var lines: Lines { Lines(body: self, limit: 8 << 20) }
}
