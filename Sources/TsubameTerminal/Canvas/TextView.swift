// TextView: turns the decoded pieces of a text into the bytes to write.

/// Lays a text out, paints it, and makes it safe for a terminal, each if wanted. The text arrives as UTF-8 in pieces.
/// Each piece is returned as soon as it is known how to show it.
package struct TextView: Sendable {
    private var layout: (any Layout)?
    private var painter: any Painter
    private var canvas: Canvas

    /// - Parameters:
    ///   - isFormatted: whether line ends and indentation show the structure.
    ///   - theme: the colours; nil for none.
    ///   - isTerminal: whether characters that could control a terminal are shown instead of written.
    package init(_ kind: TextKind, isFormatted: Bool, theme: Theme?, isTerminal: Bool) {
        canvas = Canvas(theme: theme, isTerminal: isTerminal)
        layout = isFormatted ? Self.layout(kind) : nil
        painter = theme == nil ? PlainPainter() : Self.painter(kind)
    }

    private static func layout(_ kind: TextKind) -> (any Layout)? {
        switch kind {
        case .json: JSONIndenter()
        case .jsonLines: JSONIndenter(isLines: true)
        case .xml: XMLIndenter()
        case .html: HTMLIndenter()
        case .events: EventStreamIndenter()
        case .form, .plain: nil
        }
    }

    private static func painter(_ kind: TextKind) -> any Painter {
        switch kind {
        case .json, .jsonLines: JSONPainter()
        case .xml: MarkupPainter(isHTML: false)
        case .html: MarkupPainter(isHTML: true)
        case .events: EventStreamPainter()
        case .form: FormPainter()
        case .plain: PlainPainter()
        }
    }

    /// Whether nothing has been shown, or the last byte ended a line.
    package var isAtLineStart: Bool { canvas.isAtLineStart }

    /// The bytes that can be shown after this piece.
    package mutating func show(_ text: String) -> [UInt8] {
        let input = Array(text.utf8)
        if layout == nil {
            painter.paint(input, on: &canvas)
        } else {
            var output: [UInt8] = []
            layout?.lay(input, into: &output)
            painter.paint(output, on: &canvas)
        }
        return canvas.take()
    }

    /// The remaining bytes of a text that is complete or broken off.
    package mutating func finish() -> [UInt8] {
        var output: [UInt8] = []
        layout?.finish(into: &output)
        painter.paint(output, on: &canvas)
        painter.finish(on: &canvas)
        return canvas.finish()
    }
}
