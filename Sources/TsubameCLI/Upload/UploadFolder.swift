// UploadFolder: the folder in which `tsubame upload` records where unfinished uploads can be continued.

import Tsubame
import TsubamePlatform

/// `$XDG_STATE_HOME/tsubame/uploads`, else the same below `~/.local/state`. Only the user can read it, because the URL of
/// an upload may be a secret.
enum UploadFolder {
    /// The path of the folder, which is created if it is missing.
    static func path() throws(SystemError) -> String {
        guard let root = HomePath.base("XDG_STATE_HOME", orHome: ".local/state") else {
            throw SystemError("HOME is not set", code: ENOENT)
        }
        let path = root + "/tsubame/uploads"
        try Folder.create(path, for: "the record of the upload")
        guard access(path, W_OK | X_OK) == 0 else { throw SystemError("the folder \(path) cannot be written") }
        return path
    }
}
