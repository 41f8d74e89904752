// HeadPainter: paints the first line and the fields of a message (RFC 9112 section 2.1).

package enum HeadPainter {
    /// Writes a whole head, line ends and the empty line included.
    package static func paint(_ head: some StringProtocol, on canvas: inout Canvas) {
        var rest = head.utf8[...]
        var isFirst = true
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            if isFirst, line.starts(with: "HTTP/".utf8) {
                paintStatusLine(line, &canvas)
            } else if isFirst {
                paintRequestLine(line, &canvas)
            } else {
                paintField(line, &canvas)
            }
            isFirst = false
            rest = rest[line.endIndex...]
            if let end = rest.popFirst() { canvas.write(end, .plain) }
        }
    }

    /// Writes field lines without a first line, such as trailers.
    package static func paint(fields: some StringProtocol, on canvas: inout Canvas) {
        var rest = fields.utf8[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            paintField(line, &canvas)
            rest = rest[line.endIndex...]
            if let end = rest.popFirst() { canvas.write(end, .plain) }
        }
    }

    private static func paintStatusLine<Line: Collection>(_ line: Line, _ canvas: inout Canvas)
    where Line.Element == UInt8, Line.SubSequence == Line {
        let version = line.prefix { $0 != 0x20 }
        canvas.write(version, .version)
        let rest = line[version.endIndex...]
        let code = rest.drop { $0 == 0x20 }.prefix(3)
        canvas.write(rest, Role.status(Int(String(decoding: code, as: UTF8.self)) ?? 0))
    }

    private static func paintRequestLine<Line: Collection>(_ line: Line, _ canvas: inout Canvas)
    where Line.Element == UInt8, Line.SubSequence == Line {
        let method = line.prefix { $0 != 0x20 }
        canvas.write(method, .method)
        let target = line[method.endIndex...].dropFirst().prefix { $0 != 0x20 }
        canvas.write(line[method.endIndex..<target.startIndex], .plain)
        canvas.write(target, .target)
        canvas.write(line[target.endIndex...], .version)
    }

    private static func paintField<Line: Collection>(_ line: Line, _ canvas: inout Canvas)
    where Line.Element == UInt8, Line.SubSequence == Line {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // A line that begins with a blank continues the value of the line before (obs-fold).
        let isFold = line.first == 0x20 || line.first == 0x09
        guard !isFold, name.endIndex != line.endIndex else { return canvas.write(line, .fieldValue) }
        canvas.write(name, .fieldName)
        canvas.write(UInt8(ascii: ":"), .punctuation)
        canvas.write(line[name.endIndex...].dropFirst(), .fieldValue)
    }
}
