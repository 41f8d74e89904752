// EventStreamIndenter: indents the JSON in server-sent events.

/// Data lines that hold a JSON object or array are indented after `data:`. All other lines of text/event-stream stay as
/// they are. Each event is shown as its bytes arrive.
package struct EventStreamIndenter: Layout {
    private enum Place {
        /// At the start of a line that may still become a data line.
        case beginning
        case data
        case verbatim
    }

    private static let prefix = Array("data: ".utf8)

    private var place = Place.beginning
    private var held: [UInt8] = []
    private var json: JSONIndenter
    private let indent: Int

    /// - Parameter indent: the number of spaces for each level of JSON.
    package init(indent: Int = LayoutStyle().jsonIndent) {
        self.indent = indent
        json = JSONIndenter(indent: indent)
    }

    package mutating func lay(_ input: [UInt8], into output: inout [UInt8]) {
        for byte in input { take(byte, &output) }
    }

    package mutating func finish(into output: inout [UInt8]) {
        output.append(contentsOf: held)
        held = []
        if place == .data { json.finish(into: &output) }
    }

    private mutating func take(_ byte: UInt8, _ output: inout [UInt8]) {
        if byte == 0x0A || byte == 0x0D {
            finish(into: &output)
            output.append(byte)
            place = .beginning
            return
        }
        switch place {
        case .verbatim: output.append(byte)
        case .data:
            var piece: [UInt8] = []
            json.take(byte, &piece)
            for byte in piece {
                output.append(byte)
                if byte == 0x0A { output.append(contentsOf: repeatElement(0x20, count: Self.prefix.count)) }
            }
        case .beginning:
            if held.count < Self.prefix.count, byte == Self.prefix[held.count] { return held.append(byte) }
            let isJSON = held.starts(with: Self.prefix.dropLast()) && (byte == 0x7B || byte == 0x5B)
            finish(into: &output)
            place = isJSON ? .data : .verbatim
            json = JSONIndenter(indent: indent)
            take(byte, &output)
        }
    }
}
