// TextView: a text from its decoded pieces to what is written.

/// Lays a text out, paints it, and makes it safe for a terminal, each as far as asked for. The text comes in UTF-8, wherever
/// it is cut, and each piece is given as soon as it is known how to show it.
package struct TextView: Sendable {
    private var layout: (any Layout)?
    private var painter: any Painter
    private var canvas: Canvas

    /// - Parameters:
    ///   - isFormatted: whether line ends and indentation are put where the structure is.
    ///   - theme: nil for no colours.
    ///   - isTerminal: whether what could steer a terminal is shown instead of written.
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

    /// Whether nothing has been given, or what has ends a line.
    package var isAtLineStart: Bool { canvas.isAtLineStart }

    /// What can be shown with this piece.
    package mutating func show(_ text: String) -> [UInt8] {
        if layout == nil {
            painter.paint(text.utf8, on: &canvas)
        } else {
            var output: [UInt8] = []
            layout?.lay(text.utf8, into: &output)
            painter.paint(output, on: &canvas)
        }
        return canvas.take()
    }

    /// The rest: the text is over, or broken off.
    package mutating func finish() -> [UInt8] {
        var output: [UInt8] = []
        layout?.finish(into: &output)
        painter.paint(output, on: &canvas)
        painter.finish(on: &canvas)
        return canvas.finish()
    }
}
