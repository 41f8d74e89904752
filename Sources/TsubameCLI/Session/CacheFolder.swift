// CacheFolder: where the responses are kept that --cache is about.
#if Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Tsubame

/// `$XDG_CACHE_HOME/tsubame/responses`, else below `~/.cache`: one for all runs of a user, readable by him only.
enum CacheFolder {
    /// nil, and that is told, if there is no place for it: what a cache saves can be done without.
    /// - Parameter isSilent: whether nothing is told.
    static func open(isSilent: Bool) -> ResponseCache? {
        do {
            return try ResponseCache(folder: path)
        } catch {
            if isSilent { return nil }
            Diagnostics.say("\((error as? CallError)?.reason ?? "\(error)"): there is no --cache for this request")
            return nil
        }
    }

    private static var path: String {
        get throws {
            let folder: String
            // One that is not absolute is to be ignored, says the XDG Base Directory Specification.
            if let named = getenv("XDG_CACHE_HOME").map({ String(cString: $0) }), named.hasPrefix("/") {
                folder = named
            } else if let home = getenv("HOME"), home.pointee != 0 {
                folder = String(cString: home) + "/.cache"
            } else {
                throw UsageProblem("HOME is not set")
            }
            let own = folder + "/tsubame"
            for path in [folder, own] where mkdir(path, 0o700) != 0 && errno != EEXIST {
                throw SystemError("the folder \(path) of --cache cannot be made")
            }
            return own + "/responses"
        }
    }
}

#endif
