// SessionFile: the file that stores a session.

import Tsubame
import TsubameRequestFiles
import TsubamePlatform

/// Only its owner can read the file. Runs at the same time change it one after the other.
struct SessionFile: Sendable {
    /// How long a run waits while another one writes, in nanoseconds.
    private static let lockTimeout: UInt64 = 10_000_000_000
    /// The largest file that is read, in bytes. More than 3,000 cookies of the longest kind fit into it.
    private static let maximumBytes = 32 << 20
    private static let maximumDepth = 32

    let path: String

    /// - Parameters:
    ///   - name: a path, if it contains a slash or ends in `.json`; else a name among the sessions of the host.
    ///   - host: `host` or `host:port`.
    init(_ name: String, host: String) throws(UsageProblem) {
        if name.contains("/") || name.hasSuffix(".json") {
            path = HomePath.expand(name)
            return
        }
        guard !name.isEmpty, !name.hasPrefix("."), name.utf8.allSatisfy(Self.isOfName) else {
            throw UsageProblem(
                "“\(name)” is no name of a session: use letters, digits, _, - and ., or a path with a /.")
        }
        guard let root = Self.root else {
            throw UsageProblem("There is no place for the session “\(name)”: HOME is not set; give a path instead.")
        }
        // HTTPie gives these folders the same names.
        let hostName = String(host.map { $0 == ":" || $0 == "/" ? "_" : $0 })
        path = "\(root)/\(hostName)/\(name).json"
    }

    /// The folder with a folder for each host; nil without a home folder.
    private static var root: String? {
        HomePath.base("XDG_CONFIG_HOME", orHome: ".config").map { $0 + "/tsubame/sessions" }
    }

    /// The sessions of all hosts, each with its host.
    static var named: [(file: SessionFile, host: String)] {
        get throws {
            guard let root else { return [] }
            var found: [(file: SessionFile, host: String)] = []
            for folder in try Folder.names(in: root) {
                let host = Self.host(ofFolder: folder)
                for name in try Folder.names(in: "\(root)/\(folder)") where name.hasSuffix(".json") {
                    found.append((try SessionFile("\(root)/\(folder)/\(name)", host: host), host))
                }
            }
            return found
        }
    }

    /// The host that a folder is named after. An underscore stands for a colon, within brackets and before a port.
    private static func host(ofFolder name: String) -> String {
        if name.hasPrefix("[") { return String(name.map { $0 == "_" ? ":" : $0 }) }
        guard let mark = name.lastIndex(of: "_"), UInt16(name[name.index(after: mark)...]) != nil else { return name }
        return "\(name[..<mark]):\(name[name.index(after: mark)...])"
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    // MARK: Reading

    /// - Parameter host: the host to which cookies without a domain are bound.
    /// - Returns: nil if there is no file yet.
    func load(host: String) throws -> Session? {
        guard access(path, F_OK) == 0 else { return nil }
        // A named pipe without a writer must not block the tool.
        let file = try Descriptor.reading(path, waits: false)
        defer { file.shut() }
        guard file.kind == .regular else { throw problem("it is no regular file") }
        guard file.remainingBytes <= Self.maximumBytes else { throw problem("it is larger than 32 MiB") }
        var bytes: [UInt8] = []
        while case let piece = try file.readPiece(64 << 10), !piece.isEmpty { bytes.append(contentsOf: piece) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw problem("it is not UTF-8") }
        do {
            return try Session(JSONValue(text, maximumDepth: Self.maximumDepth), host: host)
        } catch let fault as JSONSyntax.Fault {
            let before = bytes.prefix(fault.offset)
            let line = before.count { $0 == 0x0A } + 1
            let byte = fault.offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
            let reason =
                fault.isTooDeep ? "is nested deeper than \(Self.maximumDepth) levels" : "is not valid JSON"
            throw problem("it \(reason) at line \(line), byte \(byte)")
        } catch let error as SessionProblem {
            throw problem(error.description)
        }
    }

    func problem(_ text: String) -> CallError {
        CallError(.file, "the session file \(path) cannot be used: \(text)")
    }

    // MARK: Writing

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates the folder, for its owner only, and checks that it is writable, before anything is sent.
    func prepare() throws(SystemError) {
        try Folder.create(folder, for: "the session")
        guard access(folder, W_OK | X_OK) == 0 else { throw SystemError("the session file \(path) cannot be written") }
    }

    /// Replaces the session by a changed one, while no other run does so.
    /// - Parameters:
    ///   - host: the host to which cookies without a domain are bound.
    ///   - onlyIfNew: whether a session that is there stays as it is.
    ///   - change: makes the new session of the present one, which is nil if there is none.
    func update(host: String, onlyIfNew: Bool = false, _ change: (Session?) -> Session) throws(SystemError) {
        if access(path, F_OK) != 0, try create(change(nil)) { return }
        if onlyIfNew { return }
        let lock: FileLock?
        do throws(FileLock.Failure) {
            lock = try FileLock(FilePath.resolved(path), timeout: Self.lockTimeout)
        } catch {
            switch error {
            // A file that may not be written can still be replaced.
            case .cannotBeWritten(EACCES): lock = nil
            case .cannotBeWritten(let code): throw SystemError("the session file \(path) cannot be written", code: code)
            case .isHeld: throw SystemError("the session file \(path) is being written by another program")
            // Some network file systems have no locks.
            case .cannotBeLocked: lock = nil
            }
        }
        defer { extendLifetime(lock) }
        let present: Session?
        do {
            present = try load(host: host)
        } catch {
            throw SystemError((error as? CallError)?.reason ?? "\(error)")
        }
        try save(change(present))
    }

    /// - Returns: false if another run has made the file meanwhile.
    private func create(_ session: Session) throws(SystemError) -> Bool {
        try PrivateFile.create(path, named: "the session file \(path)") { file throws(SystemError) in
            try file.writeAll(session.text)
        }
    }

    private func save(_ session: Session) throws(SystemError) {
        try PrivateFile.replace(path, named: "the session file \(path)") { file throws(SystemError) in
            try file.writeAll(session.text)
        }
    }
}
