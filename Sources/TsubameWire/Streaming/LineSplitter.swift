// LineSplitter: splits the bytes of a body into lines, however they arrive.

package import TsubameCore

/// Splits UTF-8 into lines that end in LF, CR LF or CR. A wrong byte becomes U+FFFD.
package struct LineSplitter: Sendable {
    private let limit: Int
    /// The bytes of the line so far.
    private var line: [UInt8] = []
    private var skipsLineFeed = false

    /// - Parameter limit: the longest line, in bytes.
    package init(limit: Int) { self.limit = limit }

    /// The next line, without its end; nil if more bytes are needed.
    /// - Parameter position: where to go on in the bytes. The method moves it behind the bytes that it has used.
    /// - Throws: kind `limitExceeded` for a line that is too long.
    package mutating func next(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) throws(WireError) -> String? {
        if position < bytes.count, skipsLineFeed {
            if bytes[position] == 0x0A { position += 1 }
            skipsLineFeed = false
        }
        let rest = bytes[position...]
        let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
        guard line.count + (end - position) <= limit else {
            throw WireError(.limitExceeded, "a line of the body is longer than \(limit) bytes")
        }
        line += rest[..<end]
        position = end
        guard end < bytes.count else { return nil }
        skipsLineFeed = bytes[end] == 0x0D
        position = end + 1
        return take()
    }

    /// The line that the end of the body cuts off; nil if it is empty.
    package mutating func finish() -> String? { line.isEmpty ? nil : take() }

    private mutating func take() -> String {
        defer { line.removeAll(keepingCapacity: true) }
        return String(decoding: line, as: UTF8.self)
    }
}
