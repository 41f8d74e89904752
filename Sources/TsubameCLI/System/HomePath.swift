// HomePath: a path that begins with a tilde, which no shell undoes inside of an item.
#if Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum HomePath {
    /// `~` and `~/…` lie in the home folder, by the environment; any other path is itself.
    static func expand(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}

#endif
