// Layout: line ends and indentation where a text's structure is.

/// Text in, text out, piece by piece; painting comes behind it and knows nothing of it. What makes no sense goes through as
/// it is. Memory is bounded, whatever comes.
package protocol Layout: Sendable {
    /// Appends what can be shown of `input` so far.
    mutating func lay(_ input: some Sequence<UInt8>, into output: inout [UInt8])

    /// Appends what was kept back: the text is over, or broken off.
    mutating func finish(into output: inout [UInt8])
}
