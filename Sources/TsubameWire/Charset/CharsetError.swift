// The error of bytes that are no text of their encoding.

/// Bytes that are not well-formed in the encoding they were to be read in.
public struct CharsetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The encoding that was asked for.
    public let charset: Charset

    /// Where the first wrong sequence begins, in bytes from the beginning of the text.
    public let offset: Int

    package init(charset: Charset, offset: Int) {
        self.charset = charset
        self.offset = offset
    }

    public var description: String { "the text is not well-formed \(charset.name) at byte \(offset)" }
}
