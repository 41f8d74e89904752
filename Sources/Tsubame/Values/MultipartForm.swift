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
/// let body = Body.multipart {
///     $0.field("album", "2026")
///     $0.file("photo", path: "/photos/swallow.jpg")
///     $0.part("place", .json(["latitude": 35.7]))
/// }
/// ```
/// In names and names of files, `"` and line ends are escaped as browsers escape them; everything else is sent in UTF-8.
public struct MultipartForm: Sendable {
    struct Part: Sendable {
        let name: String
        let filename: String?
        let body: Body
    }

    private(set) var parts: [Part] = []

    /// A field of a form: text, without a content type of its own.
    public mutating func field(_ name: String, _ value: String) {
        parts.append(Part(name: name, filename: nil, body: .bytes(Bytes(value))))
    }

    /// A file, read from disk while it is sent, never held whole. It must be there when the body is made, and keep its
    /// length until the body has been sent: else the call fails with ``CallError/Kind/requestBody``.
    /// - Parameters:
    ///   - name: that of the field.
    ///   - path: where the file is.
    ///   - filename: what the server is told; by default the last component of the path.
    ///   - contentType: by default what the name of the file suggests, else `application/octet-stream`.
    public mutating func file(
        _ name: String, path: String, filename: String? = nil, contentType: String? = nil
    ) {
        let base = path.split(separator: "/").last.map(String.init) ?? path
        part(
            name, .file(path: path, contentType: contentType ?? ContentTypeGuess.type(of: base)),
            filename: filename ?? base)
    }

    /// The file at a file URL.
    public mutating func file(_ name: String, at url: URL, filename: String? = nil, contentType: String? = nil) {
        file(name, path: url.path, filename: filename, contentType: contentType)
    }

    /// Bytes; with a name of a file, a file that exists in memory only.
    /// - Parameters:
    ///   - name: that of the field.
    ///   - bytes: its content.
    ///   - filename: what the server is told; without it the part is a field.
    ///   - contentType: by default none for a field, and `application/octet-stream` for a file.
    public mutating func bytes(
        _ name: String, _ bytes: some Collection<UInt8>, filename: String? = nil, contentType: String? = nil
    ) {
        let type = contentType ?? (filename == nil ? nil : "application/octet-stream")
        part(name, .bytes(bytes as? Bytes ?? Bytes(bytes), contentType: type), filename: filename)
    }

    /// Any body: JSON, a stream, … with its own content type. If its length is not known, the whole goes chunked; if it
    /// can be sent only once, so can the whole.
    public mutating func part(_ name: String, _ body: Body, filename: String? = nil) {
        parts.append(Part(name: name, filename: filename, body: body))
    }

    /// The parts as a client with this coding sends them.
    fileprivate func resolved(by coding: (any Sendable)?) -> MultipartForm {
        var form = self
        form.parts = parts.map { Part(name: $0.name, filename: $0.filename, body: $0.body.resolved(by: coding)) }
        return form
    }

    fileprivate func body(boundary: String?) -> Body {
        do throws(CallError) {
            return try MultipartContent(self, boundary: boundary).body
        } catch {
            return .failed(error)
        }
    }
}

extension Body {
    /// `multipart/form-data` with these parts: how forms with files are sent.
    ///
    /// Files are read while they are sent. The length is known beforehand if that of every part is, and the body can be
    /// sent again if every part can. The client that sends the body encodes parts by `Body.json(_:)`; their length is known
    /// then. What cannot be sent (a file that is not there) is thrown when the request is sent.
    /// - Parameters:
    ///   - boundary: what stands between the parts, 1 to 70 of the characters of RFC 2046 section 5.1.1; it must not be in
    ///     any of them. Another one is thrown as ``CallError/Kind/invalidRequest`` when the request is sent. Without it, a
    ///     random one that nobody can guess.
    ///   - build: adds the parts.
    public static func multipart(
        boundary: String? = nil, _ build: (inout MultipartForm) throws -> Void
    ) rethrows -> Body {
        var form = MultipartForm()
        try build(&form)
        guard form.parts.contains(where: { $0.body.isDeferred }) else { return form.body(boundary: boundary) }
        // The type of the body names the boundary before the parts are known.
        let framing = boundary.map { MultipartFraming(boundary: $0) } ?? MultipartFraming()
        let isOneShot = form.parts.contains { !$0.body.canBeSentAgain }
        return Body(
            .deferred(
                make: { [form] in form.resolved(by: $0).body(boundary: framing.boundary) }, isOneShot: isOneShot),
            contentType: framing.contentType, length: nil)
    }
}
