// Where a text is not of its encoding.

/// A text that is read strictly has bytes that its encoding does not know, or ends within a character.
public struct MalformedTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The encoding that the text was read in.
    public let charset: Charset

    /// Where the first wrong sequence begins, in bytes from the beginning of the body; a byte order mark counts.
    public let offset: Int

    package init(charset: Charset, offset: Int) {
        self.charset = charset
        self.offset = offset
    }

    /// The encoding and the place.
    public var description: String { "the text is no \(charset.name): it is wrong at byte \(offset)" }
}
