// DownloadPolicy: how a download is written, checked and spread.

import TsubameCore

/// How ``Client/download(_:to:resume:policy:progress:)-(Request,_,_,_,_)`` writes a file, what it checks, and over how
/// many connections it comes.
///
/// ```swift
/// let file = try await api.download("big.iso", to: folder, policy: .standard {
///     $0.digest = .sha256("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
///     $0.connections = 4
/// })
/// ```
public struct DownloadPolicy: Sendable, Hashable {
    /// What is done where a file is there already.
    public enum IfExists: String, Sendable, Hashable, CaseIterable {
        /// The call fails with ``CallError/Kind/file``, if it can before anything is sent.
        case fail
        /// The new file gets a number: `report-1.pdf`.
        case number
        /// The new file takes the place of the old one, once it is whole, and its permissions.
        case replace
    }

    /// What the bytes of a file come to.
    public enum Digest: Sendable, Hashable {
        /// SHA-256, in 64 hexadecimal digits.
        case sha256(String)
    }

    /// What is done where a file is there already; unless set, a file that was named is replaced, as by ``Response/save(to:)``,
    /// and one in a folder gets a number.
    public var ifExists: IfExists?
    /// What the file must come to; another one is ``CallError/Kind/decoding``, and nothing of it is kept.
    public var digest: Digest?
    /// Whether the file is compared with the digest that the server names by `Repr-Digest`, or by `Content-Digest` where that
    /// is of the whole (RFC 9530): of SHA-256, and of what came without a content coding.
    public var checksServerDigest = true
    /// Over how many connections a large file comes at once, 16 at most. Used only where the server says that it serves ranges
    /// (`Accept-Ranges: bytes`), and names the length and a strong validator.
    public var connections = 1
    /// No connection is made for fewer bytes than these.
    public var minimumPiece: Int64 = 4 << 20
    /// After so many bytes what may be resumed is written to the disk itself.
    package var syncDistance: Int64 = 64 << 20

    /// Whether a file that is what the server has, by its digest or by length and date, is kept when resuming, and not
    /// downloaded again; and whether files get the date of the server's, so that this can be told the next time.
    package var keepsWhole = false

    private init() {}

    /// One connection, and the digest of the server, if it names one.
    public static let standard = DownloadPolicy()

    /// The standard with changes.
    public static func standard(_ change: (inout DownloadPolicy) -> Void) -> DownloadPolicy {
        var policy = standard
        change(&policy)
        return policy
    }

    /// The bytes of the digest that is asked for.
    /// - Throws: ``CallError/Kind/misuse`` if it is not written as one.
    func expectedDigest() throws(CallError) -> [UInt8]? {
        guard case .sha256(let text) = digest else { return nil }
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else {
            throw CallError(.misuse, "\"\(text)\" is no digest of SHA-256", advice: "it has 64 hexadecimal digits")
        }
        return stride(from: 0, to: 64, by: 2).map { UInt8(truncatingIfNeeded: digits[$0] << 4 | digits[$0 + 1]) }
    }
}
