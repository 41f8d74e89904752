// RawBody: a body by --raw, or by the standard input.
#if Tool
import Tsubame

/// Where a body comes from that no items give.
enum RawBody {
    /// What comes through a pipe and is no longer than this goes with its length; a longer body is chunked.
    private static let collectedBytes = 16 << 20
    private static let pieceBytes = 64 << 10

    /// The body of `--raw`: text, `@FILE`, or `@-` for the standard input; `\@` is an @ at the start of text.
    static func make(
        _ argument: String, format: RequestContent.Format, tap: (@Sendable (Bytes) -> Void)?
    ) throws -> Body {
        guard argument.hasPrefix("@") else {
            let text = argument.hasPrefix("\\@") ? argument.dropFirst() : argument[...]
            return .bytes(Bytes(text), contentType: contentType(format))
        }
        let path = String(argument.dropFirst())
        if path == "-" {
            return try read(.input, contentType: contentType(format), tap: tap)
        }
        let type = ContentTypeGuess.type(of: path)
        let file = try Descriptor.reading(path)
        guard file.kind == .regular else { return try read(file, contentType: type, tap: tap) }
        file.shut()
        return .file(path: path, contentType: type)
    }

    /// The standard input, if it may be a body: a file, a pipe or a socket, of a method that has one. nil if it is not,
    /// or if there is nothing in it.
    static func ofStandardInput(
        format: RequestContent.Format, tap: (@Sendable (Bytes) -> Void)?
    ) throws -> Body? {
        switch Descriptor.input.kind {
        case .regular, .pipe, .socket: break
        case .terminal, .other, .closed: return nil
        }
        let body = try read(.input, contentType: contentType(format), tap: tap)
        return body.length == 0 ? nil : body
    }

    /// What a body is that does not say: JSON, unless a form is asked for.
    private static func contentType(_ format: RequestContent.Format) -> String {
        format == .form ? "application/x-www-form-urlencoded" : "application/json"
    }

    private static func read(
        _ descriptor: Descriptor, contentType: String, tap: (@Sendable (Bytes) -> Void)?
    ) throws -> Body {
        if descriptor.kind == .regular {
            return .stream(
                once: DescriptorStream(descriptor, tap: tap), length: descriptor.remainingBytes,
                contentType: contentType)
        }
        if descriptor.number == 0, !descriptor.isReadable(within: 1_000) {
            Diagnostics.say("waiting for a body on the standard input (--ignore-stdin goes on without one)")
        }
        var pieces: [Bytes] = []
        var total = 0
        while total < collectedBytes {
            let piece = try descriptor.readPiece(pieceBytes)
            if piece.count == 0 { return .bytes(Bytes(joining: pieces), contentType: contentType) }
            pieces.append(piece)
            total += piece.count
        }
        return .stream(once: DescriptorStream(descriptor, after: pieces, tap: tap), contentType: contentType)
    }
}

#endif
