// FilePath: the paths of files, as the system resolves them.

package enum FilePath {
    /// The path with its symbolic links resolved; the path itself if the file does not exist.
    package static func resolved(_ path: String) -> String { real(path) ?? path }

    /// The absolute path, which is the same in every process and for every way to write it. The file need not exist
    /// yet.
    package static func absolute(_ path: String) -> String {
        if let real = real(path) { return real }
        let folder = folder(of: path)
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        return "\(real(folder) ?? folder)/\(name)"
    }

    /// The folder that contains the file.
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
