// CacheFolderMark: the file that marks a folder as a cache's.

import TsubameCore
import TsubamePlatform

/// A cache removes files to make room. The mark protects a folder in which other files are kept.
enum CacheFolderMark {
    static let name = "tsubame-cache"

    private static let text = "Tsubame keeps responses here, in files with names of 32 hexadecimal digits.\n"

    /// Marks an empty folder. A folder that has a mark already is left as it is.
    /// - Throws: ``CallError/Kind/file`` if the folder holds files and no mark, or if the mark cannot be written.
    static func claim(_ folder: BodyFolder) throws(CallError) {
        // The names are read first: another process marks the folder before it writes anything else there.
        let isEmpty = folder.names.isEmpty
        let path = "\(folder.path)/\(name)"
        if isMark(path) { return }
        guard isEmpty else {
            throw CallError(
                .file, "the folder \(folder.path) holds files that are not of a cache",
                advice: "name an empty folder, or one that does not exist yet")
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            // Another process may have marked the folder meanwhile.
            if code == EEXIST, isMark(path) { return }
            throw CallError(.file, "the file \(path) cannot be made: \(String(cString: strerror(code)))")
        }
        // The text is for people. Only the name of the file counts.
        var text = Self.text
        _ = text.withUTF8 { FileOutput.write(UnsafeRawBufferPointer($0), to: descriptor) }
        _ = close(descriptor)
    }

    private static func isMark(_ path: String) -> Bool {
        FileStatus(of: path, followsLinks: false)?.kind == .regular
    }
}
