// MalformedTextError: the error of a text that is not valid in its encoding.

/// The error of strict reading: the text holds bytes that its encoding does not define, or ends within a character.
public struct MalformedTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The encoding in which the text was read.
    public let charset: Charset

    /// Where the first wrong sequence begins, in bytes from the start of the body, including a byte order mark.
    public let offset: Int

    package init(charset: Charset, offset: Int) {
        self.charset = charset
        self.offset = offset
    }

    /// The encoding and the offset, in a sentence.
    public var description: String { "the text is not valid \(charset.name) at byte \(offset)" }
}
