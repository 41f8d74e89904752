// DownloadRecord: what is known about a file that is not whole yet.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import HTTPTypes
import TsubameCore
import TsubameWire

/// Kept beside the bytes, and always replaced as a whole, so that there is never half of one. It holds no secret: of the URL,
/// the query is left out.
struct DownloadRecord: Codable, Sendable, Equatable {
    private static let maximumBytes = 256 << 10

    /// For whoever finds it.
    let url: String
    /// What the call asked for, query included, as a digest.
    let resource: String
    let validators: DownloadValidators
    /// Where all of the bytes came from, after redirects; nil if they came from several origins, or nothing says so.
    var origin: String?
    /// In bytes, if it is known.
    var total: Int64?
    /// The bytes that are there; nil while they are those from the beginning to the end of the file.
    var done: ByteSpans?
    /// Those that had been written to the disk itself. Only they count when the machine has been started since.
    var synced = ByteSpans()
    /// Which start of the machine this is of.
    var boot: String?

    /// Why a response has no record.
    static func obstacle(_ response: Response) -> String {
        if response.wire[.acceptRanges]?.lowercased() == "none" { return "the server sends no parts" }
        return DownloadValidators(response.wire) == nil
            ? "the server names no version of it (a strong ETag, or a Last-Modified)" : "it comes in a content coding"
    }

    /// nil for a response that could not be resumed.
    init?(_ response: Response, _ request: Request, total: Int64?) {
        let fields = response.wire
        guard let url = Self.url(request), let validators = DownloadValidators(fields) else { return nil }
        guard fields[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else { return nil }
        guard fields[.acceptRanges]?.lowercased() != "none" else { return nil }
        self.url = url
        resource = Self.resource(request)
        self.validators = validators
        origin = Self.origin(of: response)
        self.total = total
        boot = Self.currentBoot
    }

    /// Whether both are of one version of one file.
    func agrees(with other: DownloadRecord, hasDigest: Bool) -> Bool {
        validators == other.validators && isOf(other.url) && admits(from: other.origin, hasDigest: hasDigest)
            && (total == other.total || (url == other.url && (total == nil || other.total == nil)))
    }

    /// Whether the rest may be asked for by this request. Another query is that of a newly signed URL. Validators only mean
    /// something for one URL (RFC 9110 section 8.8.1), so elsewhere more must agree: a tag and not only a date, a length, which
    /// the answer then has to have, and the file's own name. The answer must also come from an origin that ``admits(from:hasDigest:)``
    /// lets through.
    func isOf(_ request: Request) -> Bool { Self.url(request).map { isOf($0) } ?? false }

    private func isOf(_ other: String) -> Bool {
        if url == other { return true }
        guard validators.etag != nil, total != nil, let name = Self.lastSegment(url) else { return false }
        return name == Self.lastSegment(other)
    }

    /// Whether bytes of an origin may stand beside those that are there. A validator of one origin says nothing about the bytes
    /// of another (RFC 9110 section 8.8.1), so the whole file needs a digest then. Bytes that came by https are never followed
    /// by ones that did not.
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

    /// The same for the same method and URL, and no way back to a secret in it.
    static func resource(_ request: Request) -> String {
        let text = "\(request.method.rawValue) \(request.uri?.origin.description ?? "")\(request.uri?.target ?? "")"
        return Hexadecimal.text(SHA256.digest(Array(text.utf8)).prefix(8))
    }

    /// Whether the machine has not been started since.
    var isOfThisStart: Bool { boot != nil && boot == Self.currentBoot }

    /// What of a file of this length may be relied upon.
    func spans(ofLength length: Int64) -> ByteSpans {
        let spans = isOfThisStart ? done ?? ByteSpans(upTo: length) : synced
        return spans.clipped(to: min(length, total ?? .max))
    }

    /// Changes with every start of the machine; nil where the system does not say.
    static let currentBoot: String? = {
        let bytes = try? read("/proc/sys/kernel/random/boot_id", ofUser: nil)
        return bytes.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) }
    }()

    // MARK: In a file

    /// nil if there is none, or none that can be understood: then the download begins anew.
    init?(path: String) {
        guard let bytes = try? Self.read(path, ofUser: geteuid()),
            let record = try? JSONDecoder().decode(DownloadRecord.self, from: Data(bytes))
        else { return nil }
        guard record.total ?? 0 >= 0, !record.validators.condition.isEmpty else { return nil }
        self = record
    }

    /// Puts it in the place of the one before. Its temporary name is always the same: one may be written at a time.
    /// - Parameter onDisk: whether it is to be on the disk itself, as what it says is.
    func write(to path: String, onDisk: Bool = false) throws(CallError) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        let new = path + "~"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw DownloadPart.failure("the file \(new) cannot be written", errno) }
        var code = data.withUnsafeBytes { FileOutput.write($0, to: file).error }
        if code == 0, onDisk { code = FileOutput.flush(file) }
        _ = close(file)
        if code == 0, rename(new, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(new)
            throw DownloadPart.failure("the file \(path) cannot be written", code)
        }
    }

    private struct Unreadable: Error {}

    private static func read(_ path: String, ofUser user: uid_t?) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw Unreadable() }
        defer { _ = close(file) }
        guard let status = FileStatus(of: file), user == nil || status.owner == user, status.kind == .regular else {
            throw Unreadable()
        }
        return try [UInt8](unsafeUninitializedCapacity: maximumBytes) { buffer, count in
            while let rest = UnsafeMutableRawBufferPointer(buffer)[count...].nonEmpty {
                let read = pread(file, rest.baseAddress, rest.count, off_t(count))
                if read == 0 { break }
                guard read > 0 else { throw Unreadable() }
                count += read
            }
        }
    }
}

extension Slice<UnsafeMutableRawBufferPointer> {
    fileprivate var nonEmpty: UnsafeMutableRawBufferPointer? {
        isEmpty ? nil : UnsafeMutableRawBufferPointer(rebasing: self)
    }
}
