// RawBody: a body that comes from --raw, a file or the standard input, instead of items.

import Tsubame

enum RawBody {
    /// The largest body from a pipe that is sent with its length, in bytes; a longer body is chunked.
    private static let collectedBytes = 16 << 20
    private static let pieceBytes = 64 << 10
    /// How long the tool waits for the standard input before it says so, in milliseconds.
    private static let inputTimeout: Int32 = 1_000
    /// How long another program may take to write to an unused pipe, in milliseconds.
    private static let glance: Int32 = 100

    /// The body of `--raw`: text, `@FILE`, or `@-` for the standard input of any kind. `\@` at the start of text is an
    /// ordinary @.
    static func make(_ argument: String, _ options: ContentOptions) throws -> RequestBody {
        guard argument.hasPrefix("@") else {
            let text = argument.hasPrefix("\\@") ? argument.dropFirst() : argument[...]
            return .bytes(Bytes(text), contentType: contentType(options.format))
        }
        let path = String(argument.dropFirst())
        guard path == "-" else { return try file(HomePath.expand(path)) }
        return try read(.input, contentType: contentType(options.format), isStreamed: options.chunked)
    }

    /// The content of a file. A file that is not regular, such as `@<(command)`, is read once.
    /// - Parameter contentType: the media type; by default guessed from the file's name.
    static func file(_ path: String, contentType: String? = nil) throws -> RequestBody {
        let type = contentType ?? ContentTypeGuess.type(of: path)
        let file = try Descriptor.reading(path)
        // An apparently empty file may be one of the kernel's, whose length is unknown.
        guard file.kind == .regular, file.remainingBytes > 0 else { return try read(file, contentType: type) }
        file.shut()
        return .file(path, contentType: type)
    }

    /// The body from the standard input; nil if the input is not meant for a body, or if it is empty.
    /// - Parameters:
    ///   - method: the method that the user gave.
    ///   - isDownload: whether the response is saved. The request is then a GET unless the user says otherwise.
    static func ofStandardInput(
        method: String?, isDownload: Bool, _ options: ContentOptions
    ) throws -> RequestBody? {
        guard isInputMeant(method, isDownload: isDownload) else { return nil }
        let body = try read(.input, contentType: contentType(options.format), isStreamed: options.chunked)
        return body.length == 0 ? nil : body
    }

    /// Looks for data on the standard input besides items that form a body, because that data would be lost without
    /// notice.
    ///
    /// A silent pipe is not waited for.
    static func refuseStandardInput(method: String?) throws(UsageProblem) {
        guard isInputMeant(method, isDownload: false) else { return }
        _ = Descriptor.input.isReadable(within: glance)
        guard inputHasData else { return }
        throw UsageProblem(
            "The standard input and the items cannot both be the body; --ignore-stdin sends the items alone.")
    }

    /// Warns of data on the standard input that the exchange did not read. Waits for none.
    static func warnOfUnsentInput() {
        guard inputHasData else { return }
        Diagnostics.say(
            "warning: the data on the standard input was not sent; --raw @- sends it, --ignore-stdin hides this warning"
        )
    }

    /// Whether the standard input has data now. A file that has been read from belongs to its reader.
    private static var inputHasData: Bool {
        let input = Descriptor.input
        return switch input.kind {
        case .regular: input.isAtStart && input.remainingBytes > 0
        case .pipe, .socket: input.hasBytes
        case .terminal, .other, .closed: false
        }
    }

    /// Whether the standard input is meant for a body.
    ///
    /// A file is a body, unless the method has no body or a loop has begun to read the file. A pipe is a body without a
    /// method, and with a method that asks for a body. A socket is a body only with such a method, because programs
    /// give sockets to their children that they never write to.
    private static func isInputMeant(_ method: String?, isDownload: Bool) -> Bool {
        let asksForBody = method.map(asksForBody) ?? false
        switch Descriptor.input.kind {
        case .regular:
            if let method, ["GET", "HEAD", "TRACE"].contains(method) { return false }
            return asksForBody || Descriptor.input.isAtStart
        case .pipe: return method == nil ? !isDownload : asksForBody
        case .socket: return asksForBody
        case .terminal, .other, .closed: return false
        }
    }

    /// Whether requests with this method usually have a body.
    static func asksForBody(_ method: String) -> Bool { ["POST", "PUT", "PATCH", "QUERY"].contains(method) }

    /// The default content type: JSON, unless a form is asked for.
    private static func contentType(_ format: RequestContent.Format) -> String {
        format.isForm ? "application/x-www-form-urlencoded" : "application/json"
    }

    /// - Parameter isStreamed: whether pieces are sent as they come, instead of being counted first.
    private static func read(
        _ descriptor: Descriptor, contentType: String, isStreamed: Bool = false
    ) throws -> RequestBody {
        if descriptor.kind == .regular, descriptor.remainingBytes > 0 {
            return .stream(
                once: DescriptorStream(descriptor), length: descriptor.remainingBytes, contentType: contentType)
        }
        if descriptor.number == 0, !descriptor.isReadable(within: inputTimeout) {
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
