// StreamingDecoder: the text of bytes that come in pieces.

/// Decodes a text in an encoding that is known, wherever its pieces are cut: all of them give what
/// ``Charset/decode(_:)`` gives for the whole.
package struct StreamingDecoder: Sendable {
    private let charset: Charset
    private var state = ISO2022JPState()
    /// The beginning of a sequence that is not yet whole; at most three bytes.
    private var held: [UInt8] = []

    /// - Parameter charset: ``Charset/utf16`` is read as little endian here: its mark was to be looked for before.
    package init(_ charset: Charset) {
        self.charset = charset == .utf16 ? .utf16LittleEndian : charset
    }

    /// The text of what is whole so far, with U+FFFD for each wrong sequence.
    package mutating func decode(_ bytes: some Collection<UInt8>) -> String {
        held.append(contentsOf: bytes)
        let (decoded, left) = held.withUnsafeBytes { charset.decode(bytes: $0, isLast: false, state: &state) }
        held.removeFirst(held.count - left)
        return decoded.text
    }

    /// The rest: what is still not whole is wrong.
    package mutating func finish() -> String {
        defer { held = [] }
        return held.withUnsafeBytes { charset.decode(bytes: $0, isLast: true, state: &state) }.decoded.text
    }
}
