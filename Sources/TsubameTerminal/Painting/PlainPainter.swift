// PlainPainter: paints text of an unknown format, without roles.

package struct PlainPainter: Painter {
    package init() {}

    package mutating func paint(_ input: [UInt8], on canvas: inout Canvas) { canvas.write(input) }
}
