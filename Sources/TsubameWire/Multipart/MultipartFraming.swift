// MultipartFraming: the delimiters and part heads of a multipart/form-data body (RFC 7578; RFC 2046 section 5.1).

import HTTPTypes
package import TsubameCore

/// The framing of one `multipart/form-data` body.
///
/// A body consists of ``head(name:filename:contentType:)``, the content and ``partEnd`` for each part, followed by
/// ``end``.
package struct MultipartFraming: Sendable {
    private static let boundaryLength = 32
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The line end after the content of each part.
    package static let partEnd = "\r\n"

    package let boundary: String

    /// Makes a boundary of 32 letters and digits from the system's random source. An attacker who controls the
    /// content of a part cannot guess it (CVE-2025-22150).
    package init() {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<Self.boundaryLength).map { _ in Self.letters.randomElement(using: &random) ?? 0x30 }
        self.init(boundary: String(decoding: bytes, as: UTF8.self))
    }

    package init(boundary: String) { self.boundary = boundary }

    /// Whether the text is a valid boundary: 1 to 70 allowed characters, without a space at the end (RFC 2046 section
    /// 5.1.1).
    package static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.last != 0x20 && text.utf8.allSatisfy(isOfBoundary)
    }

    private static func isOfBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }

    /// The value of Content-Type.
    package var contentType: String { Self.adding(boundary, to: "multipart/form-data") }

    /// The value of Content-Type for a body of another type, such as `multipart/related`. If `type` is a multipart
    /// type without a boundary, the boundary of `bodyType` is added.
    package static func contentType(_ type: String, for bodyType: String) -> String {
        guard bodyType.utf8.starts(with: "multipart/".utf8), let own = MediaType(type), own.type == "multipart",
            own["boundary"] == nil, let boundary = MediaType(bodyType)?["boundary"], isBoundary(boundary)
        else { return type }
        return adding(boundary, to: type)
    }

    /// A boundary that is not a token (RFC 9110 section 5.6.2) is quoted.
    private static func adding(_ boundary: String, to type: String) -> String {
        let isToken = !boundary.utf8.contains { "(),/:=? ".utf8.contains($0) }
        return "\(type); boundary=\(isToken ? boundary : "\"\(boundary)\"")"
    }

    /// The delimiter before a part, and the part's fields. Names are sent in UTF-8.
    /// - Throws: ``WireError`` if `contentType` is not a valid field value.
    package func head(name: String, filename: String?, contentType: String?) throws(WireError) -> String {
        var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(PercentEncoding.partName(name))\""
        if let filename { head += "; filename=\"\(PercentEncoding.partName(filename))\"" }
        if let contentType {
            guard HTTPField.isValidValue(contentType) else {
                throw WireError(
                    .invalidRequest,
                    "the content type of the part \"\(PercentEncoding.partName(name))\" is not a valid field value")
            }
            head += "\r\nContent-Type: \(contentType)"
        }
        return head + "\r\n\r\n"
    }

    /// The delimiter after the last part.
    package var end: String { "--\(boundary)--\r\n" }
}
