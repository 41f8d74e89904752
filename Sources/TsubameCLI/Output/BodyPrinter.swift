// BodyPrinter: one body on its way to the output.
#if Tool
import Tsubame

/// Writes a body as its pieces come, as they are or made readable.
struct BodyPrinter {
    private let output: OutputFile
    private let style: OutputStyle
    /// Else its bytes are written as they came.
    private let isText: Bool
    private var text: TextStream
    private var indenter: JSONIndenter?
    private var isHidden = false
    private var count = 0
    private var endsLine = true

    init(_ output: OutputFile, _ style: OutputStyle, contentType: String?) {
        self.output = output
        self.style = style
        text = TextStream(contentType: contentType)
        let type = contentType.flatMap { MediaType($0) }
        isText = style.decodesText && (style.isForReading || type.map(Self.isText) ?? false)
        if style.indentsJSON, isText, let type, Self.isJSON(type) { indenter = JSONIndenter() }
    }

    private static func isJSON(_ type: MediaType) -> Bool {
        type.subtype == "json" || type.subtype.hasSuffix("+json")
    }

    /// Whether decoding loses nothing: it says that it is text, and of a charset that is known. What goes into a file or
    /// a pipe is spared a guess.
    private static func isText(_ type: MediaType) -> Bool {
        guard type["charset"] == nil else { return type.charset != nil }
        return type.type == "text" || isJSON(type) || type.subtype == "xml" || type.subtype.hasSuffix("+xml")
    }

    /// Whether a byte has been given.
    var hasContent: Bool { count > 0 }

    mutating func print(_ bytes: Bytes) throws(SystemError) {
        count += bytes.count
        guard isText else { return try output.write(bytes) }
        let decoded = text.decode(bytes)
        if style.isForReading, !isHidden, text.isBinary(bytes) { isHidden = true }
        if !isHidden { try write(decoded) }
    }

    /// The body is whole.
    mutating func finish() throws(SystemError) {
        guard isText else { return }
        if isHidden {
            if !endsLine { try output.write("\n") }
            try output.write("(binary data, \(count) bytes: not shown on a terminal; -o FILE saves it)\n")
        } else {
            try write(text.finish())
            if style.isForReading, !endsLine { try output.write("\n") }
        }
    }

    private mutating func write(_ text: String) throws(SystemError) {
        guard !text.isEmpty else { return }
        guard indenter != nil else {
            endsLine = text.utf8.last == 0x0A
            return try output.write(text)
        }
        var indented: [UInt8] = []
        indenter?.indent(text.utf8, into: &indented)
        guard let last = indented.last else { return }
        endsLine = last == 0x0A
        try output.write(Bytes(indented))
    }
}

#endif
