// Painter: says of each piece of a text what it is.

/// Takes a text piece by piece and writes every byte of it, in its order, on a canvas. Nothing is kept back longer than it
/// takes to know what a few bytes are.
package protocol Painter: Sendable {
    mutating func paint(_ input: some Sequence<UInt8>, on canvas: inout Canvas)

    /// The text is over, or broken off.
    mutating func finish(on canvas: inout Canvas)
}

extension Painter {
    package mutating func finish(on canvas: inout Canvas) {}
}
