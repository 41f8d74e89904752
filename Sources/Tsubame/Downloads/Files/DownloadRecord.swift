// DownloadRecord: the saved state of a download that is not complete.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubamePlatform
import TsubameWire

/// Kept beside the bytes and always replaced as a whole, so that there is never half a record. A record holds no
/// secret: the URL is saved without its query.
struct DownloadRecord: Codable, Sendable, Equatable {
    private static let maximumBytes = 256 << 10

    /// The origin and the path of the request's URL.
    let url: String
    /// A digest of the request's method and URL, including the query.
    let resource: String
    let validators: DownloadValidators
    /// The origin of all bytes, after redirects; nil if they came from several origins, or the origin is not known.
    var origin: String?
    /// The length of the file in bytes, if known.
    var total: Int64?
    /// The bytes that are there; nil while they are all bytes from the beginning to the end of the file.
    var done: ByteSpans?
    /// The bytes that were flushed to the disk. Only these count after the machine was started again.
    var synced = ByteSpans()
    /// The identifier of the machine's start during which the record was saved.
    var boot: String?
    /// The file of another program from which the first bytes are.
    private(set) var continued: UnfinishedFile.Identity?

    /// Why a response cannot be resumed.
    static func obstacle(_ response: Response) -> String {
        if response.wire[.acceptRanges]?.lowercased() == "none" { return "the server serves no ranges" }
        return DownloadValidators(response.wire) == nil
            ? "the server names no version of it (a strong ETag, or a Last-Modified at least a second before its Date)"
            : "it comes in a content coding"
    }

    /// nil for a response that cannot be resumed.
    /// - Parameter needsVersion: whether the response must name the version of the file.
    init?(_ response: Response, _ request: Request, total: Int64?, needsVersion: Bool = true) {
        let fields = response.wire
        let version = DownloadValidators(fields) ?? (needsVersion ? nil : DownloadValidators(weakly: fields))
        guard let url = Self.url(request), let validators = version else { return nil }
        guard fields[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else { return nil }
        guard fields[.acceptRanges]?.lowercased() != "none" else { return nil }
        self.url = url
        resource = Self.resource(request)
        self.validators = validators
        origin = Self.origin(of: response)
        self.total = total
        boot = SystemBoot.id
    }

    /// The record of a download that continues another program's file.
    func continuing(_ file: UnfinishedFile.Identity) -> DownloadRecord {
        var record = self
        record.continued = file
        return record
    }

    /// Whether both records are of one version of one file.
    func agrees(with other: DownloadRecord, hasDigest: Bool) -> Bool {
        validators == other.validators && isOf(other.url, other.resource)
            && admits(from: other.origin, hasDigest: hasDigest)
            && (total == other.total || (url == other.url && (total == nil || other.total == nil)))
    }

    /// Whether this request may ask for the rest. Validators are valid only for one URL (RFC 9110 section 8.8.1).
    /// The query may differ, because a URL may be signed anew, but then an entity tag must agree: two files often have
    /// one date. For another path, a length must agree too, which the response must then have, and the last segment of
    /// the path. The response must also come from an origin that ``admits(from:hasDigest:)`` accepts.
    func isOf(_ request: Request) -> Bool { Self.url(request).map { isOf($0, Self.resource(request)) } ?? false }

    private func isOf(_ other: String, _ otherResource: String) -> Bool {
        if resource == otherResource { return true }
        guard validators.etag != nil else { return false }
        if url == other { return true }
        guard total != nil, let name = Self.lastSegment(url) else { return false }
        return name == Self.lastSegment(other)
    }

    /// Whether bytes of an origin may be combined with those that are there. A validator of one origin says nothing
    /// about the bytes of another (RFC 9110 section 8.8.1), so the whole file needs a digest then. Bytes over http
    /// are never appended to bytes over https.
    func admits(from other: String?, hasDigest: Bool) -> Bool {
        guard let other else { return false }
        return other == origin || hasDigest && (other.hasPrefix("https:") || origin?.hasPrefix("http:") == true)
    }

    static func origin(of response: Response) -> String? { response.request.uri?.origin.description }

    private static func url(_ request: Request) -> String? {
        request.uri.map { $0.origin.description + $0.path }
    }

    private static func lastSegment(_ url: String) -> Substring? {
        guard let slash = url.lastIndex(of: "/") else { return nil }
        let segment = url[url.index(after: slash)...]
        return segment.isEmpty ? nil : segment
    }

    /// The same text for the same method and URL. A secret in the URL cannot be read from it.
    static func resource(_ request: Request) -> String {
        let text = "\(request.method.rawValue) \(request.uri?.origin.description ?? "")\(request.uri?.target ?? "")"
        return Hexadecimal.text(SHA256.digest(Array(text.utf8)).prefix(8))
    }

    /// Whether the machine has not been started again after the record was saved.
    var isOfThisStart: Bool { boot != nil && boot == SystemBoot.id }

    /// The bytes of a file of this length that are certain to be right.
    func spans(ofLength length: Int64) -> ByteSpans {
        let spans = isOfThisStart ? done ?? ByteSpans(upTo: length) : synced
        return spans.clipped(to: min(length, total ?? .max))
    }

    // MARK: The file

    /// nil if there is no readable record. The download then begins anew.
    init?(path: String) {
        guard let bytes = RecordFile.read(path, limit: Self.maximumBytes),
            let record = try? JSONDecoder().decode(DownloadRecord.self, from: Data(bytes))
        else { return nil }
        guard record.total ?? 0 >= 0, record.validators.condition?.isEmpty == false else { return nil }
        self = record
    }

    /// Replaces the record in the file. Only one write may run at a time.
    /// - Parameter onDisk: whether the record is flushed to the disk, as the bytes that it lists are.
    func write(to path: String, onDisk: Bool = false) throws(CallError) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        guard let failure = data.withUnsafeBytes({ RecordFile.write($0, to: path, onDisk: onDisk) }) else { return }
        throw DownloadPart.failure("the file \(failure.path) cannot be written", failure.error)
    }
}
