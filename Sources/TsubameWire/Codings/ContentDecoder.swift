// ContentDecoder: a decoder that undoes a content coding piece by piece.

/// One reader at a time uses a decoder.
package protocol ContentDecoder: AnyObject {
    /// Whether the last call filled its output, so that a call without input may return more.
    var mayHaveMore: Bool { get }

    /// Decodes from the front of `input` until the input is used up or `output` is full. A call writes at most 256 KiB.
    ///
    /// While input is left or `mayHaveMore` is true, call the method again with the rest of the input, which may be
    /// empty. Then pass the next input, and call `finish` after the last. After an error, every later call throws it
    /// again.
    /// - Parameter inputConsumed: set to the number of bytes of `input` that were consumed.
    /// - Returns: the number of bytes written to `output`.
    func decode(
        into output: UnsafeMutableRawBufferPointer, from input: UnsafeRawBufferPointer, inputConsumed: inout Int
    ) throws(ContentCodingError) -> Int

    /// Throws if the content is incomplete. An input without a byte is an empty content, because servers label those
    /// too.
    func finish() throws(ContentCodingError)
}

extension ContentDecoder {
    /// The maximum number of bytes that one call of `decode` returns, even if its output has more room.
    package static var maximumOutput: Int { 262_144 }
}
