// FilePath: the names of files, as the system resolves them.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

package enum FilePath {
    /// Where a symbolic link leads; the path itself if nothing is there.
    package static func resolved(_ path: String) -> String { real(path) ?? path }

    /// The same path in every process, however it is given. The file need not be there yet.
    package static func absolute(_ path: String) -> String {
        if let real = real(path) { return real }
        let folder = folder(of: path)
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        return "\(real(folder) ?? folder)/\(name)"
    }

    /// The folder in which a file is.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
