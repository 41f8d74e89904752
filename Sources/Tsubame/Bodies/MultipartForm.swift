// MultipartForm: the parts of a multipart/form-data body.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
import TsubameWire

/// The parts of a `multipart/form-data` body (RFC 7578), in the order in which they are added.
///
/// ```swift
/// let body = RequestBody.multipart {
///     $0.field("album", "2026")
///     $0.file("photo", at: "/photos/swallow.jpg")
///     $0.part("place", .json(["latitude": 35.7]))
/// }
/// ```
/// In the names of fields and files, `"` and line ends are escaped as browsers escape them. Everything else is sent
/// in UTF-8.
public struct MultipartForm: Sendable {
    struct Part: Sendable {
        let name: String
        let filename: String?
        let body: RequestBody
    }

    private(set) var parts: [Part] = []

    /// Adds a field of a form: text without a content type.
    public mutating func field(_ name: String, _ value: String) {
        parts.append(Part(name: name, filename: nil, body: .bytes(Bytes(value))))
    }

    /// Adds a file, which is read from the disk while it is sent and never held whole. The file must exist when the
    /// body is made, and keep its length until the body has been sent. Otherwise the call fails with
    /// ``CallError/Kind/requestBody``.
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - path: the path of the file.
    ///   - filename: the file's name for the server; by default the last component of the path.
    ///   - contentType: the content type; by default the one that the file's name suggests, or
    ///     `application/octet-stream`.
    public mutating func file(
        _ name: String, at path: String, filename: String? = nil, contentType: String? = nil
    ) {
        let base = path.split(separator: "/").last.map(String.init) ?? path
        part(
            name, .file(path, contentType: contentType ?? ContentTypeGuess.type(of: base)),
            filename: filename ?? base)
    }

    /// Adds the file at a file URL.
    public mutating func file(_ name: String, at url: URL, filename: String? = nil, contentType: String? = nil) {
        file(name, at: url.fileText, filename: filename, contentType: contentType)
    }

    /// Adds bytes. With a file name they are sent as a file, which exists only in memory.
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - bytes: the content of the part.
    ///   - filename: the file's name for the server; without it the part is a field.
    ///   - contentType: the content type; by default none for a field, and `application/octet-stream` for a file.
    public mutating func bytes(
        _ name: String, _ bytes: some Collection<UInt8>, filename: String? = nil, contentType: String? = nil
    ) {
        let type = contentType ?? (filename == nil ? nil : "application/octet-stream")
        part(name, .bytes(bytes as? Bytes ?? Bytes(bytes), contentType: type), filename: filename)
    }

    /// Adds a body of any kind, such as JSON or a stream, with its own content type. If its length is not known,
    /// the whole form is sent chunked. If the body can be sent only once, so can the whole form.
    public mutating func part(_ name: String, _ body: RequestBody, filename: String? = nil) {
        parts.append(Part(name: name, filename: filename, body: body))
    }

    /// The form with its values encoded by the client's rules.
    fileprivate func resolved(by rules: (any ValueRules)?) -> MultipartForm {
        var form = self
        form.parts = parts.map { Part(name: $0.name, filename: $0.filename, body: $0.body.resolved(by: rules)) }
        return form
    }

    fileprivate func body(boundary: String?) -> RequestBody {
        do throws(CallError) {
            return try MultipartContent(self, boundary: boundary).body
        } catch {
            return .failed(error)
        }
    }
}

extension RequestBody {
    /// A `multipart/form-data` body with these parts, as forms with files are sent.
    ///
    /// Files are read while they are sent. The body's length is known in advance if that of every part is. The body
    /// can be sent again if every part can. The client that sends the body encodes the parts made by
    /// `RequestBody.json(_:)`, and knows their length then. If a part cannot be sent, such as a file that does not
    /// exist, sending the request throws the error.
    /// - Parameters:
    ///   - boundary: the text between the parts: 1 to 70 of the characters of RFC 2046 section 5.1.1. No part may
    ///     contain it. An invalid boundary is thrown as ``CallError/Kind/invalidRequest`` when the request is sent.
    ///     The default is random and cannot be guessed.
    ///   - build: adds the parts.
    public static func multipart(
        boundary: String? = nil, _ build: (inout MultipartForm) throws -> Void
    ) rethrows -> RequestBody {
        var form = MultipartForm()
        try build(&form)
        guard form.parts.contains(where: { $0.body.isDeferred }) else { return form.body(boundary: boundary) }
        // The content type of the body names the boundary before the parts are known.
        let framing = boundary.map { MultipartFraming(boundary: $0) } ?? MultipartFraming()
        let isOneShot = form.parts.contains { !$0.body.canBeSentAgain }
        return RequestBody(
            .deferred(
                make: { [form] in form.resolved(by: $0).body(boundary: framing.boundary) }, isOneShot: isOneShot),
            contentType: framing.contentType, length: nil)
    }
}
