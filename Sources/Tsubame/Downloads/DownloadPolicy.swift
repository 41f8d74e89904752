// DownloadPolicy: how a download treats existing files, what it checks, and how many connections it uses.

import TsubameCore

/// How ``Client/download(_:to:resume:policy:progress:)-(_,URL,_,_,_)`` treats existing files, what it checks,
/// and how many connections it uses.
///
/// ```swift
/// let file = try await api.download("big.iso", to: folder, policy: .standard {
///     $0.digest = .sha256("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
///     $0.connections = 4
/// })
/// ```
public struct DownloadPolicy: Sendable, Hashable {
    /// How a download treats an existing file.
    public enum IfExists: String, Sendable, Hashable, CaseIterable {
        /// The call fails with ``CallError/Kind/file``, before anything is sent if possible.
        case fail
        /// The new file gets a number: `report-1.pdf`.
        case number
        /// The new file replaces the old one when it is complete, and gets its permissions.
        case replace
    }

    /// The digest of a file's bytes.
    public enum Digest: Sendable, Hashable {
        /// SHA-256, as 64 hexadecimal digits.
        case sha256(String)
    }

    /// How the download treats an existing file. By default it replaces a named file, as `response.save(to:)`
    /// does, and gives a file in a folder a number.
    public var ifExists: IfExists?
    /// The digest that the file must have. A file with another digest fails with ``CallError/Kind/decoding``, and
    /// nothing of it is kept. A text that is not 64 hexadecimal digits fails with ``CallError/Kind/misuse``.
    public var digest: Digest?
    /// Whether the file is compared with the SHA-256 digest that the server sends (RFC 9530). The digest comes from
    /// `Repr-Digest`, or from `Content-Digest` if the response holds the whole file. It is not compared if the
    /// content came with a content coding.
    public var checksServerDigest = true
    /// The number of connections over which a large file comes at once, at most 16; 1 by default. A download uses more than one
    /// only if the server says that it serves ranges (`Accept-Ranges: bytes`), and sends the length and a strong
    /// validator.
    public var connections = 1
    /// The fewest bytes for which a further connection is opened; 4 MiB by default.
    public var minimumPiece: Int64 = 4 << 20
    /// The number of bytes after which resumable bytes are flushed to the disk; 64 MiB by default.
    package var syncDistance: Int64 = 64 << 20

    /// Whether resuming uses existing files. A file that is the server's, by its digest or by its length and date,
    /// is not downloaded again. A shorter one, as other programs leave it, is continued. Finished files get the
    /// server's date, so that the next call can compare it.
    package var usesExistingFiles = false

    private init() {}

    /// One connection; the server's digest is checked if it sends one.
    public static let standard = DownloadPolicy()

    /// The standard policy with changes.
    public static func standard(_ change: (inout DownloadPolicy) -> Void) -> DownloadPolicy {
        var policy = standard
        change(&policy)
        return policy
    }

    /// The bytes of ``digest``; nil if it is not set.
    /// - Throws: ``CallError/Kind/misuse`` if its text is not a SHA-256 digest.
    func expectedDigest() throws(CallError) -> [UInt8]? {
        guard case .sha256(let text) = digest else { return nil }
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else {
            throw CallError(.misuse, "\"\(text)\" is not a SHA-256 digest", advice: "give 64 hexadecimal digits")
        }
        return stride(from: 0, to: 64, by: 2).map { UInt8(truncatingIfNeeded: digits[$0] << 4 | digits[$0 + 1]) }
    }
}
