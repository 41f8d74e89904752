// RawBody: a body that no items make: of --raw, a file, or the standard input.
#if Tool
import Tsubame

enum RawBody {
    /// What comes through a pipe and is no longer than this goes with its length; a longer body is chunked.
    private static let collectedBytes = 16 << 20
    private static let pieceBytes = 64 << 10
    /// How long the standard input is waited for before something is said, in milliseconds.
    private static let patience: Int32 = 1_000
    /// How long another program may take to write to a pipe that is not read, in milliseconds.
    private static let glance: Int32 = 100

    /// The body of `--raw`: text, `@FILE`, or `@-` for the standard input, whatever that is; `\@` is an @ at the start of
    /// text.
    static func make(_ argument: String, _ options: ContentOptions) throws -> Body {
        guard argument.hasPrefix("@") else {
            let text = argument.hasPrefix("\\@") ? argument.dropFirst() : argument[...]
            return .bytes(Bytes(text), contentType: contentType(options.format))
        }
        let path = String(argument.dropFirst())
        guard path == "-" else { return try file(HomePath.expand(path)) }
        return try read(.input, contentType: contentType(options.format), isStreamed: options.chunked)
    }

    /// A file that is there; what is no regular one, such as that of `@<(command)`, is read once.
    /// - Parameter contentType: by default what its name suggests.
    static func file(_ path: String, contentType: String? = nil) throws -> Body {
        let type = contentType ?? ContentTypeGuess.type(of: path)
        let file = try Descriptor.reading(path)
        // One that says it is empty may be one of the kernel's, whose length is not known.
        guard file.kind == .regular, file.remainingBytes > 0 else { return try read(file, contentType: type) }
        file.shut()
        return .file(path: path, contentType: type)
    }

    /// The standard input, where it can only be meant for a body. nil if it is not touched, or if there is nothing in it.
    /// - Parameter method: as it was given.
    static func ofStandardInput(method: String?, _ options: ContentOptions) throws -> Body? {
        guard isInputMeant(method) else { return nil }
        let body = try read(.input, contentType: contentType(options.format), isStreamed: options.chunked)
        return body.length == 0 ? nil : body
    }

    /// Looks for data on the standard input beside items that form a body. The data would be lost without a word.
    ///
    /// A pipe that stays silent is not waited for.
    static func refuseStandardInput(method: String?) throws(UsageProblem) {
        guard isInputMeant(method) else { return }
        _ = Descriptor.input.isReadable(within: glance)
        guard inputHasData else { return }
        throw UsageProblem(
            "The standard input and the items cannot both be the body; --ignore-stdin sends the items alone.")
    }

    /// Warns of data on the standard input after an exchange that did not read it. Waits for none.
    static func warnOfUnsentInput() {
        guard inputHasData else { return }
        Diagnostics.say(
            "warning: the data on the standard input was not sent; --raw @- sends it, --ignore-stdin hides this warning"
        )
    }

    /// Whether data is on the standard input now. A file that has been read from is left to its reader.
    private static var inputHasData: Bool {
        let input = Descriptor.input
        return switch input.kind {
        case .regular: input.isAtStart && input.remainingBytes > 0
        case .pipe, .socket: input.hasBytes
        case .terminal, .other, .closed: false
        }
    }

    /// Whether the standard input can only be meant for a body.
    ///
    /// A file is, unless the method has no body or a loop has begun to read the file. A pipe or a socket is only with a
    /// method that asks for a body: under cron and ssh, every program's input is one.
    private static func isInputMeant(_ method: String?) -> Bool {
        let asksForBody = method.map(asksForBody) ?? false
        switch Descriptor.input.kind {
        case .regular:
            if let method, ["GET", "HEAD", "TRACE"].contains(method) { return false }
            return asksForBody || Descriptor.input.isAtStart
        case .pipe, .socket: return asksForBody
        case .terminal, .other, .closed: return false
        }
    }

    private static func asksForBody(_ method: String) -> Bool { ["POST", "PUT", "PATCH", "QUERY"].contains(method) }

    /// What a body is that does not say: JSON, unless a form is asked for.
    private static func contentType(_ format: RequestContent.Format) -> String {
        format.isForm ? "application/x-www-form-urlencoded" : "application/json"
    }

    /// - Parameter isStreamed: whether what comes is sent as it comes, instead of being counted first.
    private static func read(
        _ descriptor: Descriptor, contentType: String, isStreamed: Bool = false
    ) throws -> Body {
        if descriptor.kind == .regular, descriptor.remainingBytes > 0 {
            return .stream(
                once: DescriptorStream(descriptor), length: descriptor.remainingBytes, contentType: contentType)
        }
        if descriptor.number == 0, !descriptor.isReadable(within: patience) {
            Diagnostics.say("waiting for a body on the standard input (--ignore-stdin goes on without one)")
        }
        var pieces: [Bytes] = []
        var total = 0
        while total < collectedBytes {
            let piece = try descriptor.readPiece(pieceBytes)
            if piece.count == 0 { return .bytes(Bytes(joining: pieces), contentType: contentType) }
            pieces.append(piece)
            total += piece.count
            if isStreamed { break }
        }
        return .stream(once: DescriptorStream(descriptor, after: pieces), contentType: contentType)
    }
}

#endif
