// DownloadValidators: the validators that tell one version of a representation from another (RFC 9110 section 8.8).

import HTTPTypes
import TsubameCore
import TsubameWire

/// The strong validators of a response, by which a request may ask for the rest. Two parts may be combined only if
/// their validator is strong (RFC 9110 section 15.3.7.3). A strong validator is an entity tag without `W/`. If
/// there is no tag, a Last-Modified is strong if it lies at least a second before the Date of the same response
/// (section 8.8.2.2).
struct DownloadValidators: Codable, Sendable, Hashable {
    private static let maximumBytes = 4096

    /// The entity tag with its quotation marks.
    let etag: String?
    /// The field as received. It decides only if there is no tag.
    let lastModified: String?

    /// Whether the validators only tell versions apart within one call. A request must not ask for the rest by them.
    private var isWeak: Bool?

    /// The validators of a response without a strong one: a weak tag, a date that is too young, or none.
    init(weakly fields: ReceivedFields) {
        etag = fields[.eTag].flatMap { $0.utf8.count <= Self.maximumBytes ? $0 : nil }
        lastModified = fields[.lastModified].flatMap { $0.utf8.count < 100 ? $0 : nil }
        isWeak = true
    }

    /// nil if the response has no strong validator.
    init?(_ fields: ReceivedFields) {
        let date = fields[.lastModified].flatMap { $0.utf8.count < 100 && HTTPDate.parse($0) != nil ? $0 : nil }
        if let tag = fields[.eTag] {
            // If the tag is weak, the date may not be used either (RFC 9110 section 13.1.5).
            guard tag.utf8.count <= Self.maximumBytes, EntityTag(tag)?.isWeak == false else { return nil }
            (etag, lastModified) = (tag, date)
        } else {
            guard let date, let modified = HTTPDate.parse(date), let sent = fields[.date].flatMap(HTTPDate.parse),
                modified < sent
            else { return nil }
            (etag, lastModified) = (nil, date)
        }
    }

    /// The value of If-Range (RFC 9110 section 13.1.5); nil without a strong validator.
    var condition: String? { isWeak == true ? nil : etag ?? lastModified }

    /// Whether a response is of the same version. A response without the validator is not. Without any validator every
    /// response is.
    func agree(with fields: ReceivedFields) -> Bool {
        // A 206 must have the tag that the 200 had (RFC 9110 section 15.3.7). Without it, the date proves nothing.
        if let etag { return fields[.eTag] == etag }
        return lastModified == nil || fields[.lastModified] == lastModified
    }
}
