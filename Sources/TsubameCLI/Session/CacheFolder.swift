// CacheFolder: the folder in which --cache stores responses.

import Tsubame
import TsubamePlatform

/// `$XDG_CACHE_HOME/tsubame/responses`, else the same below `~/.cache`. All runs of a user share it, and only that user
/// can read it.
enum CacheFolder {
    /// Opens the cache; nil, with a report, if no folder is usable. A request also works without its cache.
    /// - Parameter isSilent: whether to leave the report out.
    static func open(isSilent: Bool) -> ResponseCache? {
        do {
            return try ResponseCache(folder: path)
        } catch {
            if isSilent { return nil }
            Diagnostics.say("\((error as? CallError)?.reason ?? "\(error)"): this request runs without --cache")
            return nil
        }
    }

    /// The cache; nil if no request with --cache has made the folder yet.
    static func existing() throws -> ResponseCache? {
        let path = try path
        guard access(path, F_OK) != 0 else { return try ResponseCache(folder: path) }
        let error = SystemError("the cache \(path) cannot be read")
        if error.isMissingFile { return nil }
        throw error
    }

    static var path: String {
        get throws {
            guard let folder = HomePath.base("XDG_CACHE_HOME", orHome: ".cache") else {
                throw UsageProblem("HOME is not set")
            }
            let own = folder + "/tsubame"
            try Folder.create(own, for: "--cache")
            return own + "/responses"
        }
    }
}
