// ContentDecoder: a content coding, undone piece by piece.

/// Used by one reader at a time.
package protocol ContentDecoder: AnyObject {
    /// Whether the last call filled its output, so that more may come without more input.
    var mayHaveMore: Bool { get }

    /// Decodes from the front of `input` until that is used up or `output` (256 KiB of it at most) is full.
    ///
    /// Call it again with the rest of the input, or with an empty one, while input is left or `mayHaveMore`; then with
    /// the next input, and `finish` after the last. An error stays: every later call throws it again.
    /// - Parameter inputConsumed: set to how many bytes of `input` are done with.
    /// - Returns: how many bytes were written to `output`.
    func decode(
        into output: UnsafeMutableRawBufferPointer, from input: UnsafeRawBufferPointer, inputConsumed: inout Int
    ) throws(ContentCodingError) -> Int

    /// Throws if the content is not whole. No byte at all is an empty content: servers label those, too.
    func finish() throws(ContentCodingError)
}

extension ContentDecoder {
    /// How many decoded bytes leave a call of `decode` at most, however large its output is.
    package static var maximumOutput: Int { 262_144 }
}
