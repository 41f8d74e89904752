// Response+Values: JSON, text and forms from the body of a response.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

// Synchronous: these run where they are called, on a collected response.
extension Response {
    /// Returns the same response if its status is accepted.
    /// - Throws: ``CallError/Kind/status``, with this response and up to 64 KiB of its body.
    @discardableResult
    public func accepted() throws(CallError) -> Response {
        guard isAccepted else { throw statusError(failure: nil) }
        return self
    }

    /// Decodes the body as JSON where this is called. Asynchronous code gets the overload that leaves the caller's
    /// actor.
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: the decoder; by default a new one, set up as ``Configuration/json`` says.
    /// - Throws: ``CallError`` of kind `status`, or `decoding` with the decoder's error as `underlying`; `misuse` if the body is
    ///   still being streamed.
    public func json<T: Decodable>(_ type: T.Type = T.self, decoder: JSONDecoder? = nil) throws(CallError) -> T {
        try accepted()
        return try decodeJSON(type, decoder)
    }

    func decodeJSON<T: Decodable>(_ type: T.Type, _ decoder: JSONDecoder? = nil) throws(CallError) -> T {
        let decoder = decoder ?? details.valueRules.json.decoder()
        return try decodeBody(as: type, in: "JSON") { try decoder.decode(type, from: $0) }
    }

    /// Decodes the body in any format. An empty body is an empty value if the status or the method says so.
    /// - Parameter allowsEmpty: whether an empty body is valid in this format.
    /// - Throws: ``CallError`` of kind `misuse` for a body that is still being streamed, or `decoding` with the
    ///   decoder's error as `underlying`.
    package func decodeBody<T>(
        as type: T.Type, in format: String, mayBeEmpty allowsEmpty: Bool = false, _ decode: (Data) throws -> T
    ) throws(CallError) -> T {
        let bytes = try collectedBytes()
        if let nothing = EmptyResponse() as? T { return nothing }
        if bytes.count == 0, mayBeEmpty, let empty = type as? any EmptyDecodable.Type,
            let value = empty.emptyValue as? T
        {
            return value
        }
        if bytes.count == 0, !allowsEmpty {
            throw CallError(
                .decoding, "the body is empty, so it cannot be decoded as \(type) from \(format)", phase: .decoding,
                request: request,
                response: self)
        }
        do {
            return try decode(Data(bytes))
        } catch {
            throw CallError(
                .decoding,
                "the body cannot be decoded as \(type) from \(format): \(Self.words(error))\(unexpected(format))",
                phase: .decoding,
                underlying: error, request: request, response: self)
        }
    }

    /// The content type of the body, if it is not that of the format. The content itself may be a secret, and is
    /// left out.
    private func unexpected(_ format: String) -> String {
        guard let type = headers[.contentType], !type.lowercased().contains(format.lowercased()) else { return "" }
        return " (it is \(type), \(bytes.count) bytes)"
    }

    /// The body as text. The charset is the first of these that is known: `charset`, that of the byte order mark, that
    /// of Content-Type, that of `<meta charset>` in HTML, `defaultCharset`, the client's
    /// ``Configuration/defaultCharset``, and UTF-8.
    /// - Parameters:
    ///   - charset: the charset to read in, for a server that names the wrong one.
    ///   - defaultCharset: the charset of a text that names none.
    ///   - strict: whether a wrong byte is an error; otherwise it becomes U+FFFD.
    /// - Throws: ``CallError`` of kind `status`, or `decoding` with a ``MalformedTextError`` as `underlying`, which
    ///   names the charset and the position; `misuse` if the body is still being streamed.
    public func text(
        charset: Charset? = nil, defaultCharset: Charset? = nil, strict: Bool = false
    ) throws(CallError) -> String {
        try accepted()
        let bytes = try collectedBytes()
        let fallback = defaultCharset ?? details.valueRules.charset
        let type = headers[.contentType]
        guard strict else { return decodeText(bytes, contentType: type, forced: charset, fallback: fallback) }
        do throws(MalformedTextError) {
            return try decodeTextStrictly(bytes, contentType: type, forced: charset, fallback: fallback)
        } catch {
            throw CallError(
                .decoding, error.description, phase: .decoding, underlying: error, request: request, response: self)
        }
    }

    /// The parameters of a body of `application/x-www-form-urlencoded`.
    /// - Throws: ``CallError`` of kind `status`, or `misuse` if the body is still being streamed.
    public func form() throws(CallError) -> Parameters {
        try accepted()
        return Parameters.decoding(try collectedBytes())
    }

    /// Decodes a body of `application/x-www-form-urlencoded`.
    /// - Throws: ``CallError`` of kind `status`, or `decoding` with a `DecodingError` as `underlying`.
    public func form<T: Decodable>(
        _ type: T.Type, by coding: ParameterCoding = .standard
    ) throws(CallError) -> T {
        try accepted()
        return try decodeBody(as: type, in: "form", mayBeEmpty: true) {
            try Parameters.decoding($0).decode(type, by: coding)
        }
    }

    /// Whether the status or the method says that there is no body (RFC 9110 sections 9.3.2, 15.3.5, 15.3.6).
    /// Without that, an empty body means that the response is incomplete.
    private var mayBeEmpty: Bool { statusCode == 204 || statusCode == 205 || request.method == .head }

    func collectedBytes() throws(CallError) -> Bytes {
        guard let bytes = body.bytes else {
            throw CallError(
                .misuse, "the body is still being streamed", phase: .decoding, advice: "await the value, or use send",
                request: request)
        }
        return bytes
    }

    /// The error of a status that is not accepted.
    package func statusError(failure: (any Sendable)?) -> CallError {
        let excerpt = body.bytes.map { with(collected: $0.part(0..<Self.excerptBytes)) } ?? self
        // The engine lets a 407 through only from a proxy, so the server did not send it.
        let proxy = statusCode == 407 ? connection?.proxy : nil
        var advice = proxy == nil ? nil : "check the proxy's credentials"
        if statusCode == 404, request.escapesSlash { advice = CallLifecycle.slashNote }
        return CallError(
            .status, "\(proxy.map { "the proxy \($0)" } ?? "the server") answered \(Redaction.printable(statusWords))",
            phase: .decoding, advice: advice, timeout: nil,
            request: request, response: excerpt,
            failure: failure, connection: connection, retryObstacle: details.retryObstacle, attempts: history.count + 1)
    }

    /// The number of bytes of the body that an error carries.
    static let excerptBytes = 64 << 10

    /// Where and why a decoder failed, without Foundation's wrapping.
    static func words(_ error: any Error) -> String {
        func path(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
            return path.isEmpty ? "" : " at \(path.hasPrefix(".") ? String(path.dropFirst()) : path)"
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context): return "no \"\(key.stringValue)\"\(path(context))"
        case DecodingError.typeMismatch(let type, let context):
            return "no \(type)\(path(context)): \(context.debugDescription)"
        case DecodingError.valueNotFound(let type, let context): return "null where \(type) is wanted\(path(context))"
        case DecodingError.dataCorrupted(let context): return "\(context.debugDescription)\(path(context))"
        default: return "\(error)"
        }
    }
}

// Asynchronous: these run off the caller's actor, and collect a streamed body first.
extension Response {
    /// Returns the same response if its status is accepted. The body may still be streamed.
    /// - Throws: ``CallError/Kind/status``, with this response and up to 64 KiB of its body.
    @concurrent @discardableResult
    public func accepted() async throws(CallError) -> Response {
        if isAccepted { return self }
        throw with(collected: await body.excerpt(upTo: Self.excerptBytes)).statusError(failure: nil)
    }

    /// Decodes the body as JSON, off the caller's actor.
    /// - Throws: ``CallError`` of kind `status`, or `decoding` with the decoder's error as `underlying`.
    @concurrent
    public func json<T: Decodable & Sendable>(_ type: T.Type = T.self) async throws(CallError) -> T {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in
            try Self.json(of: whole, type, nil)
        }
    }

    /// Decodes the body as JSON with the caller's decoder, off the caller's actor.
    /// - Throws: ``CallError`` of kind `status`, or `decoding` with the decoder's error as `underlying`; or the error of reading
    ///   the body.
    @concurrent
    public func json<T: Decodable & Sendable>(
        _ type: T.Type = T.self, decoder: sending JSONDecoder
    ) async throws(CallError) -> T {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in try Self.json(of: whole, type, decoder) }
    }

    /// The body as text. The charset is the first of these that is known: `charset`, that of the byte order mark, that
    /// of Content-Type, that of `<meta charset>` in HTML, `defaultCharset`, the client's
    /// ``Configuration/defaultCharset``, and UTF-8.
    /// - Parameters:
    ///   - charset: the charset to read in, for a server that names the wrong one.
    ///   - defaultCharset: the charset of a text that names none.
    ///   - strict: whether a wrong byte is an error; otherwise it becomes U+FFFD.
    /// - Throws: ``CallError`` of kind `status`, or `decoding` with a ``MalformedTextError`` as `underlying`, which
    ///   names the charset and the position.
    @concurrent
    public func text(
        charset: Charset? = nil, defaultCharset: Charset? = nil, strict: Bool = false
    ) async throws(CallError) -> String {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in
            try Self.text(of: whole, charset, defaultCharset, strict)
        }
    }

    /// The parameters of a body of `application/x-www-form-urlencoded`.
    /// - Throws: ``CallError`` of kind `status`, or the error of reading the body.
    @concurrent
    public func form() async throws(CallError) -> Parameters {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in try Self.form(of: whole) }
    }

    /// Decodes a body of `application/x-www-form-urlencoded`.
    /// - Throws: ``CallError`` of kind `status`, or `decoding` with a `DecodingError` as `underlying`.
    @concurrent
    public func form<T: Decodable & Sendable>(
        _ type: T.Type, by coding: ParameterCoding = .standard
    ) async throws(CallError) -> T {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in
            try Self.form(of: whole, type, coding)
        }
    }

    /// This response with its body in memory.
    func whole() async throws(CallError) -> Response {
        if let bytes = body.bytes, bytes.count <= details.bufferedBody { return self }
        return with(collected: try await LoopRelief.collect(body, upTo: details.bufferedBody))
    }

    // Synchronous, because an async function would choose the async overload of the same name.
    private static func json<T: Decodable>(
        of response: Response, _ type: T.Type, _ decoder: JSONDecoder?
    ) throws(CallError) -> T {
        try response.json(type, decoder: decoder)
    }

    private static func text(
        of response: Response, _ charset: Charset?, _ defaultCharset: Charset?, _ strict: Bool
    ) throws(CallError) -> String {
        try response.text(charset: charset, defaultCharset: defaultCharset, strict: strict)
    }

    private static func form(of response: Response) throws(CallError) -> Parameters { try response.form() }

    private static func form<T: Decodable>(
        of response: Response, _ type: T.Type, _ coding: ParameterCoding
    ) throws(CallError) -> T {
        try response.form(type, by: coding)
    }
}
