// NetrcFile: the contents of a netrc file, or the error of reading it.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import TsubameCore
import TsubameWire

/// The file is read once. Like curl, this type does not check the file's permissions.
final class NetrcFile: Sendable {
    private let content: Result<Netrc, CallError>

    /// - Parameter path: the path of the file. nil stands for `$NETRC`, or else for `~/.netrc` or `~/_netrc` if that
    ///   exists.
    init(_ path: String?) {
        let environment = ProcessInfo.processInfo.environment
        let named = path ?? environment["NETRC"].flatMap { $0.isEmpty ? nil : $0 }
        let found = environment["HOME"].flatMap { home in
            ["/.netrc", "/_netrc"].map { home + $0 }.first(where: FileManager.default.fileExists)
        }
        let file = named ?? found
        do throws(CallError) {
            content = .success(try Self.read(file, mustExist: named != nil))
        } catch {
            content = .failure(error)
        }
    }

    private static func read(_ path: String?, mustExist: Bool) throws(CallError) -> Netrc {
        let shown = Redaction.printable(path ?? "~/.netrc")
        guard let path, let data = FileManager.default.contents(atPath: path) else {
            guard mustExist || path != nil else { return Netrc() }
            throw CallError(.file, "the netrc file \(shown) cannot be read")
        }
        do throws(NetrcError) {
            return try Netrc(data)
        } catch {
            throw CallError(.file, "the netrc file \(shown) cannot be understood: \(error)", underlying: error)
        }
    }

    /// The user that the file names for a host. An entry without a login names none.
    /// - Parameter login: the only user name to accept, or nil for any.
    func user(of host: String, login: String? = nil) throws(CallError) -> DigestSession.User? {
        guard let entry = try entry(for: host, login: login), let name = entry.login else { return nil }
        return DigestSession.User(name: name, password: entry.password ?? "")
    }

    func entry(for host: String, login: String? = nil) throws(CallError) -> Netrc.Entry? {
        try content.get().entry(for: host, login: login)
    }
}

extension Authentication {
    /// The entry of the user's netrc file for a host; nil if it has none.
    package static func netrcEntry(of host: String) throws(CallError) -> Netrc.Entry? {
        try NetrcFile(nil).entry(for: host)
    }
}
