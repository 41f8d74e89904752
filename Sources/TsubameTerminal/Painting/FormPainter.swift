// FormPainter: paints the names and values of application/x-www-form-urlencoded.

package struct FormPainter: Painter {
    private var isValue = false
    /// The digits of an escape such as `%20` that must still follow.
    private var digits = 0

    package init() {}

    package mutating func paint(_ input: [UInt8], on canvas: inout Canvas) {
        for byte in input {
            switch byte {
            case UInt8(ascii: "&"):
                isValue = false
                canvas.write(byte, .punctuation)
            case UInt8(ascii: "=") where !isValue:
                isValue = true
                canvas.write(byte, .punctuation)
            case UInt8(ascii: "%"), UInt8(ascii: "+"):
                digits = byte == UInt8(ascii: "%") ? 2 : 0
                canvas.write(byte, .escape)
                continue
            default:
                canvas.write(byte, digits > 0 && byte < 0x80 ? .escape : isValue ? .string : .name)
                digits = max(0, digits - 1)
                continue
            }
            digits = 0
        }
    }
}
