// The names of header fields that HTTPTypes does not define.

package import HTTPTypes

extension HTTPField.Name {
    /// RFC 7838.
    package static let altSvc = known("Alt-Svc")
    /// RFC 9211.
    package static let cacheStatus = known("Cache-Status")
    /// RFC 9530.
    package static let contentDigest = known("Content-Digest")
    /// RFC 9110 section 7.2.
    package static let host = known("Host")
    /// draft-ietf-httpapi-idempotency-key-header.
    package static let idempotencyKey = known("Idempotency-Key")
    /// WHATWG HTML section 9.2.3.
    package static let lastEventID = known("Last-Event-ID")
    /// RFC 9111 section 5.4.
    package static let pragma = known("Pragma")
    /// RFC 9530.
    package static let reprDigest = known("Repr-Digest")
    /// draft-ietf-httpbis-resumable-upload, as are the next four.
    package static let uploadComplete = known("Upload-Complete")
    package static let uploadDraftInteropVersion = known("Upload-Draft-Interop-Version")
    package static let uploadLength = known("Upload-Length")
    package static let uploadLimit = known("Upload-Limit")
    package static let uploadOffset = known("Upload-Offset")

    /// A test checks that each name above parses, so the replacement is never used.
    private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .location }
}
