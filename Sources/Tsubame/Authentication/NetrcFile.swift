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

    /// - Parameter path: the path of the file. nil stands for `$NETRC`, or else for `~/.netrc` if that exists.
    init(_ path: String?) {
        let environment = ProcessInfo.processInfo.environment
        let named = path ?? environment["NETRC"].flatMap { $0.isEmpty ? nil : $0 }
        let file = named ?? environment["HOME"].map { $0 + "/.netrc" }
        do throws(CallError) {
            content = .success(try Self.read(file, mustExist: named != nil))
        } catch {
            content = .failure(error)
        }
    }

    private static func read(_ path: String?, mustExist: Bool) throws(CallError) -> Netrc {
        let shown = Redaction.printable(path ?? "~/.netrc")
        guard let path, let data = FileManager.default.contents(atPath: path) else {
            guard mustExist || path.map({ FileManager.default.fileExists(atPath: $0) }) == true else { return Netrc() }
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
        guard let entry = try content.get().entry(for: host, login: login), let name = entry.login else { return nil }
        return DigestSession.User(name: name, password: entry.password ?? "")
    }
}

extension Authentication {
    /// The name and password of the user's netrc file for a host; nil if it has no login for the host.
    package static func netrcUser(of host: String) throws(CallError) -> (name: String, password: String)? {
        try NetrcFile(nil).user(of: host).map { ($0.name, $0.password) }
    }
}
