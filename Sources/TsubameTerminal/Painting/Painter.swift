// Painter: gives each piece of a text its role.

/// Takes a text piece by piece and writes every byte of it on a canvas, in order. It holds bytes back only until their
/// role is known.
package protocol Painter: Sendable {
    mutating func paint(_ input: [UInt8], on canvas: inout Canvas)

    /// Writes the bytes that were held back, of a text that is complete or broken off.
    mutating func finish(on canvas: inout Canvas)
}

extension Painter {
    package mutating func finish(on canvas: inout Canvas) {}
}
