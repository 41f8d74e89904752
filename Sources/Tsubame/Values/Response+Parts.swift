// The parts of a multipart response.

public import HTTPTypes
public import TsubameCore
import TsubameWire

/// One part of a multipart body (RFC 2046 section 5.1).
public struct ReceivedPart: Sendable {
    /// Its own fields.
    public let headers: HTTPFields
    /// Its content, as it came.
    public let body: Bytes

    /// The name of a field of a form (RFC 7578 section 4.2), as the sender had it.
    public var name: String? { disposition("name").map(Self.unescaped) }

    /// What the sender calls the file. It may be anything, such as `../../x`: no path to write to.
    public var filename: String? { disposition("filename").map(Self.unescaped) }

    /// Which part of the whole it is, in an answer to several ranges (RFC 9110 section 14.6).
    public var contentRange: ContentRange? { headers[.contentRange].flatMap { ContentRange($0) } }

    /// The body as text, by the charset of the part's own Content-Type, or UTF-8; a wrong byte becomes U+FFFD.
    public var text: String { decodeText(body, contentType: headers[.contentType], fallback: nil) }

    private func disposition(_ parameter: String) -> String? {
        guard let field = headers[.contentDisposition], let start = field.firstIndex(of: ";") else { return nil }
        // Its parameters are written as those of a media type are.
        return MediaType("x/x" + field[start...])?[parameter]
    }

    /// WHATWG HTML section 4.10.21.8.
    private static func unescaped(_ name: String) -> String {
        name.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
    }
}

extension Response {
    /// The parts of a body of any `multipart` type: a form, several ranges, a batch.
    /// - Throws: ``CallError`` of kind `status`, `decoding` if the body is of another type, `incompleteResponse` if it is
    ///   cut off, `invalidResponse` or `limitExceeded`.
    @concurrent
    public func parts() async throws(CallError) -> [ReceivedPart] {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in try Self.parts(of: whole) }
    }

    private static func parts(of response: Response) throws(CallError) -> [ReceivedPart] { try response.parts() }

    /// The same of a response whose body is in memory.
    public func parts() throws(CallError) -> [ReceivedPart] {
        try accepted()
        guard let bytes = body.bytes else {
            throw CallError(
                .misuse, "the body is still being streamed", phase: .decoding, advice: "await the value, or use send",
                request: request)
        }
        guard let type = headers[.contentType].flatMap({ MediaType($0) }), type.type == "multipart",
            let boundary = type["boundary"]
        else {
            throw CallError(
                .decoding, "the body has no parts: it is \(headers[.contentType] ?? "of no type")", phase: .decoding,
                request: request, response: self)
        }
        do throws(WireError) {
            return try MultipartParser.parts(of: bytes, boundary: boundary).map {
                ReceivedPart(headers: $0.headers, body: $0.body)
            }
        } catch {
            throw CallError(
                error.kind, error.description, phase: .decoding, underlying: error, request: request, response: self)
        }
    }
}
