// DownloadValidators: what tells one version of a representation from another (RFC 9110 section 8.8).

import HTTPTypes
import TsubameCore
import TsubameWire

/// Those of a response by which the rest of it may be asked for. Two parts may be put together only if their validator is a
/// strong one (RFC 9110 section 15.3.7.3): an entity tag without `W/`, or, where there is no tag at all, a Last-Modified that
/// lies at least a second before the Date of the same response (section 8.8.2.2).
struct DownloadValidators: Codable, Sendable, Hashable {
    private static let maximumBytes = 4096

    /// With its quotation marks.
    let etag: String?
    /// As received; it decides only where there is no tag.
    let lastModified: String?

    /// nil if the response has no strong one.
    init?(_ fields: ReceivedFields) {
        let date = fields[.lastModified].flatMap { $0.utf8.count < 100 && HTTPDate.parse($0) != nil ? $0 : nil }
        if let tag = fields[.eTag] {
            // With a weak one, its date may not be used either (RFC 9110 section 13.1.5).
            guard tag.utf8.count <= Self.maximumBytes, EntityTag(tag)?.isWeak == false else { return nil }
            (etag, lastModified) = (tag, date)
        } else {
            guard let date, let modified = HTTPDate.parse(date), let sent = fields[.date].flatMap(HTTPDate.parse),
                modified < sent
            else { return nil }
            (etag, lastModified) = (nil, date)
        }
    }

    /// The value of If-Range (RFC 9110 section 13.1.5).
    var condition: String { etag ?? lastModified ?? "" }

    /// Whether a response is of the same version. One that says nothing about it is not.
    func agree(with fields: ReceivedFields) -> Bool {
        // A 206 must have the tag that the 200 had (RFC 9110 section 15.3.7): without it, the date proves nothing.
        if let etag { return fields[.eTag] == etag }
        guard let lastModified, let theirs = fields[.lastModified] else { return false }
        return theirs == lastModified
    }
}
