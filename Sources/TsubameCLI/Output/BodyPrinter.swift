// BodyPrinter: prints one body, as received or made readable.

import Tsubame
import TsubameTerminal

/// Writes a body as its pieces arrive.
struct BodyPrinter {
    private let output: OutputFile
    private let style: OutputStyle
    /// Whether the body is decoded as text. Otherwise its bytes are written as received.
    private let isText: Bool
    private let isImage: Bool
    /// Whether the media type is not that of a text, so that only JSON is looked for in it.
    private let isForeign: Bool
    private var kind: TextKind
    private var text: TextStream
    /// Created with the first text, which may reveal more than the media type does.
    private var view: TextView?
    private var isHidden = false
    private var count = 0
    /// The beginning of a body that is not shown as text, or a whole image that the terminal can show.
    private var kept: [UInt8] = []

    init(_ output: OutputFile, _ style: OutputStyle, contentType: String?) {
        self.output = output
        self.style = style
        text = TextStream(contentType: contentType, guesses: style.isForReading)
        let type = contentType.flatMap { MediaType($0) }
        kind = type.map { TextKind(type: $0.type, subtype: $0.subtype) } ?? .plain
        isText = style.decodesText && (style.isForReading || type.map(Self.isText) ?? false)
        isForeign = type.map { $0.type != "text" } ?? false
        isImage = style.isForReading && type?.type == "image" && type?.subtype.hasSuffix("+xml") == false
    }

    /// Whether decoding is safe because the type is text in a known charset. For files and pipes the tool does not
    /// guess.
    private static func isText(_ type: MediaType) -> Bool {
        guard type["charset"] == nil else { return type.charset != nil && type.essence != "application/octet-stream" }
        return switch TextKind(type: type.type, subtype: type.subtype) {
        case .plain: type.type == "text" || type.subtype.hasSuffix("javascript")
        default: true
        }
    }

    /// Whether any byte has been printed.
    var hasContent: Bool { count > 0 }

    mutating func print(_ bytes: Bytes) throws(SystemError) {
        count += bytes.count
        guard isText else { return try output.write(bytes) }
        keep(bytes)
        let decoded = text.decode(bytes)
        if style.isForReading, !isHidden, isImage || text.isBinary(bytes) { isHidden = true }
        if !isHidden { try write(decoded) }
    }

    /// Prints all pieces and finishes the body. After an error, the pieces received before it are still shown.
    mutating func print(next: () throws(CallError) -> Bytes?) throws {
        do {
            while let piece = try next() { try print(piece) }
        } catch let error as CallError {
            try? finish()
            throw error
        }
        try finish()
    }

    /// Ends a body that is complete or broken off.
    mutating func finish() throws(SystemError) {
        guard isText else { return }
        if isHidden {
            if view?.isAtLineStart == false { try output.write("\n") }
            try output.write(Bytes(shownImage ?? description))
        } else {
            try write(text.finish())
            guard var view else { return }
            let rest = view.finish()
            if !rest.isEmpty { try output.write(Bytes(rest)) }
            if style.isForReading, !view.isAtLineStart { try output.write("\n") }
        }
        kept = []
    }

    private mutating func write(_ text: String) throws(SystemError) {
        guard !text.isEmpty else { return }
        if view == nil {
            if kind == .plain, style.isPretty { kind = Self.kind(of: text, mayBeXML: !isForeign) }
            var layout = style.layout
            // Text that is shown while it arrives keeps its order.
            if style.isStreamed { layout?.sortsMembers = false }
            view = TextView(
                kind, layout: style.isStreamed && kind == .xml ? nil : layout, theme: style.theme,
                isTerminal: style.isForReading)
        }
        let shown = view?.show(text) ?? []
        if !shown.isEmpty { try output.write(Bytes(shown)) }
    }

    /// Much JSON and XML is labelled as text or as a script.
    private static func kind(of text: String, mayBeXML: Bool) -> TextKind {
        if JSONGuess.isJSON(text.utf8) { return .json }
        return mayBeXML && text.utf8.drop(while: { $0 <= 0x20 }).starts(with: "<?xml".utf8) ? .xml : .plain
    }

    // MARK: Images

    private mutating func keep(_ bytes: Bytes) {
        guard style.isForReading, isImage || view == nil else { return }
        let limit = isImage && style.images != nil ? InlineImage.limit : ImageHeader.enough
        if kept.count < limit { kept.append(contentsOf: bytes.slice(0..<limit - kept.count)) }
    }

    /// The escape sequences that show the image; nil if the terminal cannot show it, or if it was not kept whole.
    private var shownImage: [UInt8]? {
        guard let images = style.images, kept.count == count, let header = ImageHeader(kept) else { return nil }
        let width = OutputWidth(output.number)
        return InlineImage.sequences(kept, header, by: images, columns: width.columns, width: width.pixels)
    }

    private var description: [UInt8] {
        let what = ImageHeader(kept)?.description ?? "binary data"
        return Array("(\(what), \(count) bytes: not shown on a terminal; -o FILE saves it)\n".utf8)
    }
}
