// UploadFolder: the folder in which `tsubame upload` records where unfinished uploads can be continued.

import Tsubame
import TsubamePlatform

/// `$XDG_STATE_HOME/tsubame/uploads`, else the same below `~/.local/state`. Only the user can read it, because the URL of
/// an upload may be a secret.
enum UploadFolder {
    /// The path of the folder, which is created if it is missing.
    static func path() throws -> String {
        var path: String
        // The XDG Base Directory Specification says to ignore a folder that is not absolute.
        if let named = getenv("XDG_STATE_HOME").map({ String(cString: $0) }), named.hasPrefix("/") {
            path = named
        } else if let home = getenv("HOME"), home.pointee != 0 {
            path = String(cString: home)
            for part in ["/.local", "/state"] { path = try made(path + part) }
        } else {
            throw UsageProblem("HOME is not set, so there is no place to record the upload.")
        }
        for part in ["", "/tsubame", "/uploads"] { path = try made(path + part) }
        return path
    }

    private static func made(_ path: String) throws(SystemError) -> String {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw SystemError("the folder \(path) for the record of the upload cannot be created")
        }
        return path
    }
}
