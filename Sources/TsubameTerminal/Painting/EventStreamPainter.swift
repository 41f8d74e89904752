// EventStreamPainter: paints the fields, comments and data of server-sent events (WHATWG HTML section 9.2).

package struct EventStreamPainter: Painter {
    private enum Place {
        case beginning, name, afterColon, value, json, comment
    }

    private var place = Place.beginning
    private var json = JSONPainter()
    private var isData = false
    private var matched = 0

    package init() {}

    package mutating func paint(_ input: [UInt8], on canvas: inout Canvas) {
        for byte in input { take(byte, &canvas) }
    }

    package mutating func finish(on canvas: inout Canvas) { json.finish(on: &canvas) }

    private mutating func take(_ byte: UInt8, _ canvas: inout Canvas) {
        guard byte != 0x0A, byte != 0x0D else {
            if place != .beginning { isData = place == .json }
            json.finish(on: &canvas)
            place = .beginning
            return canvas.write(byte, .plain)
        }
        switch place {
        case .beginning:
            if byte == 0x20, isData {
                // The next line of indented data.
                place = .json
                canvas.write(byte, .plain)
            } else if byte == UInt8(ascii: ":") {
                place = .comment
                canvas.write(byte, .comment)
            } else {
                (place, matched, isData) = (.name, 0, false)
                name(byte, &canvas)
            }
        case .name: name(byte, &canvas)
        case .afterColon:
            if byte != 0x20 {
                let isJSON = matched == 4 && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
                place = isJSON ? .json : .value
                json = JSONPainter()
                return take(byte, &canvas)
            }
            canvas.write(byte, .plain)
        case .value: canvas.write(byte, matched == 4 ? .plain : .string)
        case .json: json.take(byte, &canvas)
        case .comment: canvas.write(byte, .comment)
        }
    }

    private mutating func name(_ byte: UInt8, _ canvas: inout Canvas) {
        if byte == UInt8(ascii: ":") {
            place = .afterColon
            return canvas.write(byte, .punctuation)
        }
        // 4 if the name is `data` exactly, 5 if it is any other.
        let data: [UInt8] = [0x64, 0x61, 0x74, 0x61]
        matched = matched < 4 && byte == data[matched] ? matched + 1 : 5
        canvas.write(byte, .fieldName)
    }
}
