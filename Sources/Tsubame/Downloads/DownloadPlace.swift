// DownloadPlace: where a download is to be kept, and under which name.

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

/// A folder, in which a file gets the name that the server has for it, or a file.
struct DownloadPlace: Sendable {
    /// So many files may be called the same.
    private static let maximumNumber = 10_000
    /// So many of them are looked at for one that is whole.
    private static let maximumCandidates = 3

    /// Ends with a slash unless it is the current one, which is empty.
    private let folder: String
    /// nil if the server chooses.
    private let name: String?
    let ifExists: DownloadPolicy.IfExists
    private let syncDistance: Int64
    private let hasDigest: Bool

    /// - Parameters:
    ///   - path: of a folder that is there, or of a file in one; empty for the current one.
    ///   - isFolder: whether it is meant for a folder, whatever is there.
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
            // What a link leads to is replaced, and not the link.
            let path = policy.ifExists ?? .replace == .replace ? Self.resolved(path) : path
            let split = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
            (folder, name) = (String(path[..<split]), String(path[split...]))
            ifExists = policy.ifExists ?? .replace
            if ifExists == .fail, status != nil { throw Self.occupied(path) }
        }
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else {
            throw DownloadPart.failure("nothing can be written to the folder \(folder.isEmpty ? "." : folder)", errno)
        }
    }

    /// What an earlier download of the same has left, which the rest is asked for of.
    /// - Throws: ``CallError/Kind/file`` if it is being written to now.
    func leftover(of request: Request) throws(CallError) -> DownloadPart? {
        if let name {
            guard DownloadPart.exists(for: folder + name) else { return nil }
            let part = try openNamed(name)
            guard part.received > 0 else {
                // Nothing that would be of use.
                part.remove()
                return nil
            }
            // What is of another file stays until this one has come.
            return part.record?.isOf(request) == true ? part : nil
        }
        // Under a name that only the server knows, it is found when the server has said it.
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

    /// Where the body of a response goes: what an earlier download of the same version has left, or a new file.
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
            // Something else that is called the same, and may still be wanted.
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

    /// Files that are there under the name of a response's, or that with a number, and may be the same: as long, and not written
    /// by this command. A few, since each may have to be read.
    /// - Parameters:
    ///   - count: how long it is.
    ///   - seconds: when the server's was changed last; nil if that is not looked at.
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

    /// To the nanosecond: what was merely written in that second was not given the server's date.
    private static func isDated(_ status: FileStatus, _ seconds: Int64) -> Bool {
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return !overflow && status.modified == nanoseconds
    }

    /// What keeps a response's file from its name, or is replaced by it, for whoever expected to go on with that.
    /// - Parameters:
    ///   - comparing: whether a file of that name would have been taken for it, had it been right.
    ///   - total: how long it is, if that is known.
    ///   - hasDigest: whether it was compared by that.
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
            } else if hasDigest || status?.size != total {
                "it is not as the server has it"
            } else if response.headers[.lastModified] == nil {
                "nothing but its length says that it is the server's"
            } else {
                "it has not the server's date"
            }
        return "\(base) is there already, but \(why): \(end)"
    }

    /// Gives a whole file its name.
    /// - Returns: its path.
    func finish(_ part: DownloadPart) throws(CallError) -> String {
        let base = String(part.target.dropFirst(folder.count))
        for number in 0..<Self.maximumNumber {
            let target = number == 0 ? part.target : folder + FileName.numbered(base, number)
            if try part.finish(as: target, replacing: ifExists == .replace) { return target }
            if ifExists == .fail { throw Self.occupied(target) }
        }
        throw CallError(.file, "there are too many files like \(part.target)", phase: .receivingBody)
    }

    private func openNamed(_ name: String) throws(CallError) -> DownloadPart {
        let target = folder + name
        guard let part = try open(target) else { throw Self.busy(target) }
        return part
    }

    /// What takes the place of a file that not everybody may read must never have been open to everybody.
    private func open(_ target: String) throws(CallError) -> DownloadPart? {
        let replaced = ifExists == .replace ? FileStatus(of: target) : nil
        return try DownloadPart.open(for: target, permissions: replaced?.permissions, syncingEvery: syncDistance)
    }

    private static func name(of response: Response) -> String {
        if let name = response.suggestedFileName { return name }
        let isPage = response.headers[.contentType].flatMap { MediaType($0) }?.subtype == "html"
        return isPage ? "index.html" : "index"
    }

    private static func numbered(_ name: String, _ number: Int) -> String {
        number == 0 ? name : FileName.numbered(name, number)
    }

    private static func isThere(_ path: String) -> Bool {
        FileStatus(of: path, followsLinks: false) != nil
    }

    private static func resolved(_ path: String) -> String {
        // What is no link keeps the name that it was given.
        FileStatus(of: path, followsLinks: false)?.kind == .regular ? path : FilePath.resolved(path)
    }

    private static func occupied(_ path: String) -> CallError {
        CallError(.file, "there is a file \(path)", advice: "take it away, or set policy.ifExists")
    }

    private static func busy(_ path: String) -> CallError {
        CallError(.file, "the file \(path) is being downloaded by somebody else", advice: "wait for the end of that")
    }
}
