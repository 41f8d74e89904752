// Layout: adds line ends and indentation that show a text's structure.

/// Turns text into text, piece by piece. Painting follows, and neither knows of the other. Malformed text passes
/// unchanged. Memory is bounded for every input.
package protocol Layout: Sendable {
    /// Appends everything that `input` makes ready to show.
    mutating func lay(_ input: [UInt8], into output: inout [UInt8])

    /// Appends the bytes that were held back, of a text that is complete or broken off.
    mutating func finish(into output: inout [UInt8])
}
