// PlainPainter: text of which nothing is known.

package struct PlainPainter: Painter {
    package init() {}

    package mutating func paint(_ input: some Sequence<UInt8>, on canvas: inout Canvas) { canvas.write(input) }
}
