// StreamingDecoder: decodes text whose bytes arrive in pieces.

/// Decodes text whose encoding is known. The result does not depend on where the pieces are cut: together they give the
/// text that ``Charset/decode(_:)`` gives for all bytes.
package struct StreamingDecoder: Sendable {
    private let charset: Charset
    private var state = ISO2022JPState()
    /// The beginning of an incomplete sequence, at most three bytes.
    private var held: [UInt8] = []

    /// - Parameter charset: the encoding. ``Charset/utf16`` is read as little endian, because the caller has
    ///   already looked for a byte order mark.
    package init(_ charset: Charset) {
        self.charset = charset == .utf16 ? .utf16LittleEndian : charset
    }

    /// Returns the text of the complete sequences, with U+FFFD for each wrong sequence.
    package mutating func decode(_ bytes: some Collection<UInt8>) -> String {
        held.append(contentsOf: bytes)
        let (decoded, left) = held.withUnsafeBytes { charset.decode(bytes: $0, isLast: false, state: &state) }
        held.removeFirst(held.count - left)
        return decoded.text
    }

    /// Returns the rest. A sequence that is still incomplete is wrong.
    package mutating func finish() -> String {
        defer { held = [] }
        return held.withUnsafeBytes { charset.decode(bytes: $0, isLast: true, state: &state) }.decoded.text
    }
}
