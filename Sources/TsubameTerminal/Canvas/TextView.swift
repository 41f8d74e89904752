// TextView: turns the decoded pieces of a text into the bytes to write.

/// Lays a text out, paints it, and makes it safe for a terminal, each if wanted. The text arrives as UTF-8 in pieces.
/// Each piece is returned as soon as it is known how to show it.
package struct TextView: Sendable {
    private var layout: (any Layout)?
    private var painter: any Painter
    private var canvas: Canvas

    /// - Parameters:
    ///   - style: how line ends and indentation show the structure; nil if the text keeps its own.
    ///   - theme: the colours; nil for none.
    ///   - isTerminal: whether characters that could control a terminal are shown instead of written.
    package init(_ kind: TextKind, layout style: LayoutStyle?, theme: Theme?, isTerminal: Bool) {
        canvas = Canvas(theme: theme, isTerminal: isTerminal)
        layout = style.flatMap { Self.layout(kind, $0) }
        painter = theme == nil ? PlainPainter() : Self.painter(kind)
    }

    private static func layout(_ kind: TextKind, _ style: LayoutStyle) -> (any Layout)? {
        switch kind {
        case .json where style.formatsJSON && style.sortsMembers: JSONSorter(indent: style.jsonIndent)
        case .json where style.formatsJSON: JSONIndenter(indent: style.jsonIndent)
        case .jsonLines where style.formatsJSON: JSONIndenter(isLines: true, indent: style.jsonIndent)
        case .xml where style.formatsMarkup: XMLIndenter(indent: style.xmlIndent)
        case .html where style.formatsMarkup: HTMLIndenter()
        case .events where style.formatsJSON: EventStreamIndenter(indent: style.jsonIndent)
        case .events, .form, .plain, .json, .jsonLines, .xml, .html: nil
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
