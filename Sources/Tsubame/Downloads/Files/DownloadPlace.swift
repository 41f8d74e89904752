// DownloadPlace: the folder and the name under which a download is saved.

import HTTPTypes
import TsubameCore
import TsubamePlatform
import TsubameWire

/// A file, or a folder in which the file gets the server's name for it.
struct DownloadPlace: Sendable {
    /// The most files with the same name and a number.
    private static let maximumNumber = 10_000
    /// The most existing files that are compared with the server's.
    private static let maximumCandidates = 3

    /// The folder, ending with a slash; empty for the current folder.
    private let folder: String
    /// nil if the server chooses the name.
    private let name: String?
    let ifExists: DownloadPolicy.IfExists
    private let syncDistance: Int64
    private let hasDigest: Bool

    /// - Parameters:
    ///   - path: the path of an existing folder, or of a file in one; empty for the current folder.
    ///   - isFolder: whether the path means a folder, even if there is none.
    /// - Throws: ``CallError/Kind/file`` if nothing can be written there.
    init(_ path: String, isFolder: Bool, _ policy: DownloadPolicy) throws(CallError) {
        syncDistance = policy.syncDistance
        hasDigest = policy.digest != nil
        let status = FileStatus(of: path.isEmpty ? "." : path)
        let isFolder = isFolder || path.isEmpty || path.hasSuffix("/") || status?.kind == .folder
        if isFolder {
            folder = path.isEmpty || path.hasSuffix("/") ? path : path + "/"
            name = nil
            ifExists = policy.ifExists ?? .number
        } else {
            if let status, status.kind != .regular {
                throw CallError(.file, "\(path) is not a regular file", advice: "stream the body into it")
            }
            // A link stays, and the file that it leads to is replaced.
            let path = policy.ifExists ?? .replace == .replace ? Self.resolved(path) : path
            let split = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
            (folder, name) = (String(path[..<split]), String(path[split...]))
            ifExists = policy.ifExists ?? .replace
            if ifExists == .fail, status != nil { throw Self.occupied(path) }
        }
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else {
            let code = errno
            throw CallError(
                .file,
                "nothing can be written to the folder \(folder.isEmpty ? "." : folder): \(String(cString: strerror(code)))",
                advice: code == ENOENT ? "make the folder first" : nil)
        }
    }

    /// The bytes that an earlier download of the same request has left.
    /// - Throws: ``CallError/Kind/file`` if another download is writing to them.
    func leftover(of request: Request) throws(CallError) -> DownloadPart? {
        if let name {
            guard DownloadPart.exists(for: folder + name) else { return nil }
            let part = try openNamed(name)
            guard part.received > 0 else {
                // A file without received bytes is of no use.
                part.remove()
                return nil
            }
            // The bytes of another file stay until the new file begins.
            return part.record?.isOf(request) == true ? part : nil
        }
        // The server chooses the name. This is a guess; a file of another name is found when the response has named
        // it.
        let segment = request.uri?.path.split(separator: "/", omittingEmptySubsequences: false).last
        guard let guess = segment.flatMap({ FileName.safe(PercentEncoding.decodeLeniently(String($0))) }) else {
            return nil
        }
        let resource = DownloadRecord.resource(request)
        for number in 0..<Self.maximumNumber {
            let target = folder + Self.numbered(guess, number)
            if DownloadPart.exists(for: target) {
                if let part = try open(target), part.received > 0,
                    part.record?.resource == resource
                {
                    return part
                }
            } else if !Self.isThere(target) {
                return nil
            }
        }
        return nil
    }

    /// The file for the body of a response: that of an earlier download of the same version, or a new one.
    func part(for response: Response, _ request: Request) throws(CallError) -> DownloadPart {
        if let name { return try openNamed(name) }
        let base = Self.name(of: response)
        let resource = DownloadRecord.resource(request)
        for number in 0..<Self.maximumNumber {
            let target = folder + Self.numbered(base, number)
            if ifExists != .replace, Self.isThere(target) {
                if ifExists == .fail { throw Self.occupied(target) }
                continue
            }
            guard let part = try open(target) else {
                if ifExists == .number { continue }
                throw Self.busy(target)
            }
            // A file of the same name from another URL or version may still be wanted.
            if ifExists == .number, let record = part.record, part.received > 0, record.resource != resource,
                !record.isOf(request) || !record.validators.agree(with: response.wire)
                    || !record.admits(from: DownloadRecord.origin(of: response), hasDigest: hasDigest)
            {
                continue
            }
            return part
        }
        throw CallError(.file, "there are too many files like \(folder + base)", phase: .receivingBody)
    }

    /// Existing files that may be the server's: with the response's name or that name with a number, of the same
    /// length, and not written by this command. They are few, because each may have to be read.
    /// - Parameters:
    ///   - count: the length of the server's file in bytes.
    ///   - seconds: the time when the server's file last changed, in seconds since 1970; nil to ignore it.
    func candidates(
        for response: Response, count: Int64, changed seconds: Int64?, except finished: FinishedFiles?
    ) -> [String] {
        let base = name ?? Self.name(of: response)
        var found: [String] = []
        for number in 0..<(ifExists == .number ? Self.maximumNumber : 1) {
            let target = folder + Self.numbered(base, number)
            guard found.count < Self.maximumCandidates, let status = FileStatus(of: target) else { break }
            guard status.kind == .regular, status.size == count, finished?.contains(status) != true else { continue }
            if let seconds, !Self.isDated(status, seconds) { continue }
            found.append(target)
        }
        return found
    }

    /// The shorter file of the response's name that another program may have left. It is nil if the server does not
    /// offer ranges, or if the file has another owner, is read-only, was written by this command, or is older than the server's.
    /// - Parameter total: the length of the server's file in bytes.
    func partial(for response: Response, total: Int64, except finished: FinishedFiles?) -> UnfinishedFile? {
        let path = folder + (name ?? Self.name(of: response))
        guard Self.offersRanges(response), let status = FileStatus(of: path, followsLinks: false),
            status.kind == .regular, status.size > 0, status.size < total, status.owner == geteuid(),
            status.permissions & 0o200 != 0,
            finished?.contains(status) != true
        else { return nil }
        // A file that was complete when it got the server's date is not the beginning of a longer one.
        let changed = response.headers[.lastModified].flatMap(HTTPDate.parse)
        if Self.isOlder(status, than: response) || changed.map({ Self.isDated(status, $0) }) == true { return nil }
        return UnfinishedFile(path: path, identity: UnfinishedFile.Identity(status))
    }

    private static func offersRanges(_ response: Response) -> Bool {
        response.wire[.acceptRanges]?.lowercased() == "bytes"
    }

    private static func isOlder(_ status: FileStatus, than response: Response) -> Bool {
        response.headers[.lastModified].flatMap(HTTPDate.parse).map { status.modified / 1_000_000_000 < $0 } ?? false
    }

    /// The hidden file for the rest of a file that another program has left.
    /// - Returns: nil if the hidden file has bytes already, or belongs to another download.
    func part(continuing file: UnfinishedFile) throws(CallError) -> DownloadPart? {
        let part = try DownloadPart.open(
            for: file.path, permissions: FileStatus(of: file.path)?.permissions, syncingEvery: syncDistance)
        return part?.received == 0 ? part : nil
    }

    /// Compares the full nanoseconds: a file that was merely written in that second did not get the server's date.
    private static func isDated(_ status: FileStatus, _ seconds: Int64) -> Bool {
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return !overflow && status.modified == nanoseconds
    }

    /// Says which file keeps the response's file from its name, or is replaced by it. A caller that expected to
    /// resume needs to know.
    /// - Parameters:
    ///   - comparing: whether an equal file of that name would have been kept.
    ///   - total: the length of the server's file in bytes, if known.
    ///   - hasDigest: whether the files were compared by digest.
    func obstacle(
        to part: DownloadPart, of response: Response, comparing: Bool, total: Int64?, hasDigest: Bool,
        except finished: FinishedFiles?
    ) -> String? {
        let base = folder + (name ?? Self.name(of: response))
        let end = part.target == base ? "it is replaced when this is whole" : "this becomes \(part.target)"
        guard Self.isThere(base) else {
            return part.target == base
                ? nil : "there is an unfinished \(base) of another URL or version, which stays: \(end)"
        }
        guard comparing else { return nil }
        let status = FileStatus(of: base)
        if let status, finished?.contains(status) == true { return "\(base) is there already, just written: \(end)" }
        let why =
            if total == nil {
                "the server does not say how long it is"
            } else if let status, let total, status.size < total, !Self.offersRanges(response) {
                "the server offers no ranges to continue it"
            } else if let status, let total, status.size < total, Self.isOlder(status, than: response) {
                "it is older than the server's file"
            } else if hasDigest || status?.size != total {
                "it differs from the server's file"
            } else if response.headers[.lastModified] == nil {
                "only its length matches the server's file"
            } else {
                "its date differs from the server's"
            }
        return "\(base) is there already, but \(why): \(end)"
    }

    /// Gives a complete file its name.
    /// - Parameter file: the file that the download has continued, which is replaced.
    /// - Returns: its path.
    func finish(_ part: DownloadPart, continuing file: UnfinishedFile?) throws(CallError) -> String {
        let replaces = ifExists == .replace || file?.isUnchanged == true
        let base = String(part.target.dropFirst(folder.count))
        for number in 0..<Self.maximumNumber {
            let target = number == 0 ? part.target : folder + FileName.numbered(base, number)
            if try part.finish(as: target, replacing: replaces && number == 0) { return target }
            if ifExists == .fail { throw Self.occupied(target) }
        }
        throw CallError(.file, "there are too many files like \(part.target)", phase: .receivingBody)
    }

    private func openNamed(_ name: String) throws(CallError) -> DownloadPart {
        let target = folder + name
        guard let part = try open(target) else { throw Self.busy(target) }
        return part
    }

    /// Opens the hidden file with the permissions of the file that it replaces. A file that few users may read must
    /// not be readable by all while it comes.
    private func open(_ target: String) throws(CallError) -> DownloadPart? {
        let replaced = ifExists == .replace ? FileStatus(of: target) : nil
        return try DownloadPart.open(for: target, permissions: replaced?.permissions, syncingEvery: syncDistance)
    }

    private static func name(of response: Response) -> String {
        if let name = response.suggestedFileName { return name }
        let type = response.headers[.contentType].flatMap { MediaType($0) }
        guard type?.essence != "text/plain" else { return "index" }
        return type.flatMap { ContentTypeGuess.fileExtension(of: $0.essence) }.map { "index.\($0)" } ?? "index"
    }

    private static func numbered(_ name: String, _ number: Int) -> String {
        number == 0 ? name : FileName.numbered(name, number)
    }

    private static func isThere(_ path: String) -> Bool {
        FileStatus(of: path, followsLinks: false) != nil
    }

    private static func resolved(_ path: String) -> String {
        // A regular file keeps the path that the caller gave.
        FileStatus(of: path, followsLinks: false)?.kind == .regular ? path : FilePath.resolved(path)
    }

    private static func occupied(_ path: String) -> CallError {
        CallError(.file, "the file \(path) already exists", advice: "remove it, or set policy.ifExists")
    }

    private static func busy(_ path: String) -> CallError {
        CallError(.file, "another download is writing to the file \(path)", advice: "wait until it ends")
    }
}
