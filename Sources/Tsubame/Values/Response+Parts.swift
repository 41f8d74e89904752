// Response+Parts: the parts of a multipart response.

public import HTTPTypes
public import TsubameCore
import TsubameWire

/// One part of a multipart body (RFC 2046 section 5.1).
public struct ReceivedPart: Sendable {
    /// The headers of the part.
    public let headers: HTTPFields
    /// The content of the part, as received.
    public let body: Bytes

    /// The name of the form field (RFC 7578 section 4.2), as the sender wrote it before escaping.
    public var name: String? { disposition("name").map(Self.unescaped) }

    /// The sender's name for the file. It may be anything, such as `../../x`, so do not use it as a path.
    public var filename: String? { disposition("filename").map(Self.unescaped) }

    /// The range of the whole that this part holds, in a response with several ranges (RFC 9110 section 14.6).
    public var contentRange: ContentRange? { headers[.contentRange].flatMap { ContentRange($0) } }

    /// The body as text, in the charset of the part's own Content-Type, or in UTF-8. A wrong byte becomes U+FFFD.
    public var text: String { decodeText(body, contentType: headers[.contentType], fallback: nil) }

    private func disposition(_ parameter: String) -> String? {
        guard let field = headers[.contentDisposition], let start = field.firstIndex(of: ";") else { return nil }
        // The parameters of Content-Disposition are written as those of a media type are.
        return MediaType("x/x" + field[start...])?[parameter]
    }

    /// Undoes the escapes of WHATWG HTML section 4.10.21.8.
    private static func unescaped(_ name: String) -> String {
        name.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
    }
}

extension Response {
    /// The parts of a body of any `multipart` type, such as a form, several ranges, or a batch.
    /// - Throws: ``CallError`` of kind `status`, `decoding` if the body is of another type, `incompleteResponse` if
    ///   it is cut off, `invalidResponse` or `limitExceeded`.
    @concurrent
    public func parts() async throws(CallError) -> [ReceivedPart] {
        let whole = try await whole()
        return try await LoopRelief.run(for: whole) { () throws(CallError) in try Self.parts(of: whole) }
    }

    private static func parts(of response: Response) throws(CallError) -> [ReceivedPart] { try response.parts() }

    /// The parts of a body that is in memory. It throws as the asynchronous overload does, and `misuse` for a body
    /// that is still being streamed.
    public func parts() throws(CallError) -> [ReceivedPart] {
        try accepted()
        let bytes = try collectedBytes()
        guard let type = headers[.contentType].flatMap({ MediaType($0) }), type.type == "multipart",
            let boundary = type["boundary"]
        else {
            throw CallError(
                .decoding, "the body is not multipart: it is \(headers[.contentType] ?? "of no type")",
                phase: .decoding,
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
