// NetrcFile: a netrc file as it was found, or why it could not be read.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import TsubameCore
import TsubameWire

/// Read once. Its permissions are not looked at, as curl does not.
final class NetrcFile: Sendable {
    private let content: Result<Netrc, CallError>

    /// - Parameter path: nil for `$NETRC`, or else `~/.netrc` if it is there.
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

    /// What it says of a host.
    /// - Parameter login: if only one user is meant.
    func user(of host: String, login: String? = nil) throws(CallError) -> DigestSession.User? {
        guard let entry = try content.get().entry(for: host, login: login), entry.login != nil || entry.password != nil
        else { return nil }
        return DigestSession.User(name: entry.login ?? "", password: entry.password ?? "")
    }
}
