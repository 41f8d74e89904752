// Lines: a body as lines of text, read as they arrive.

public import TsubameCore

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
        private let limit: Int
        private var chunk = Bytes()
        private var position = 0
        private var line: [UInt8] = []
        private var skipsLineFeed = false
        private var isAtEnd = false

        fileprivate init(_ body: ResponseBody, _ limit: Int) {
            chunks = body.makeAsyncIterator()
            self.limit = limit
        }

        /// The next line; nil at the end.
        /// - Throws: ``CallError/Kind/limitExceeded`` for a line longer than 8 MiB, or the error of reading the
        ///   body.
        public mutating func next() async throws(CallError) -> String? {
            while !isAtEnd {
                while position < chunk.count {
                    let byte = chunk[position]
                    position += 1
                    if byte == 0x0A, skipsLineFeed {
                        skipsLineFeed = false
                        continue
                    }
                    skipsLineFeed = byte == 0x0D
                    if byte == 0x0A || byte == 0x0D { return take() }
                    line.append(byte)
                    guard line.count <= limit else {
                        throw CallError(
                            .limitExceeded, "a line of the body is longer than \(limit) bytes", phase: .receivingBody)
                    }
                }
                if let next = try await chunks.next() {
                    chunk = next
                    position = 0
                } else {
                    isAtEnd = true
                }
            }
            return line.isEmpty ? nil : take()
        }

        private mutating func take() -> String {
            defer { line.removeAll(keepingCapacity: true) }
            return String(decoding: line, as: UTF8.self)
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
