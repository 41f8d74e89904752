// PrivateFile: writes a file that only its owner can read.

import TsubamePlatform

enum PrivateFile {
    /// Replaces the file as a whole, so that no reader sees a half of it. A device or a pipe cannot be replaced, and takes the
    /// bytes.
    /// - Parameters:
    ///   - content: writes the bytes.
    ///   - name: the file in words, for an error.
    static func replace(
        _ path: String, named name: String, content: (Descriptor) throws(SystemError) -> Void
    ) throws(SystemError) {
        if isWrittenInPlace(path) {
            let file = try Descriptor.writing(path, isNew: false)
            defer { file.shut() }
            return try content(file)
        }
        try write(path, named: name, content: content) { target, partial, file in
            FileOutput.replace(target, by: partial, file)
        }
    }

    /// Whether the path names something other than a regular file.
    static func isWrittenInPlace(_ path: String) -> Bool { FileStatus(of: path).map { $0.kind != .regular } ?? false }

    /// Makes the file as a whole, unless there is one.
    /// - Returns: whether it was made.
    static func create(
        _ path: String, named name: String, content: (Descriptor) throws(SystemError) -> Void
    ) throws(SystemError) -> Bool {
        var isThere = false
        try write(path, named: name, content: content) { target, partial, file in
            let code = FileOutput.flush(file)
            guard code == 0 else { return code }
            let isMade = link(partial, target) == 0
            isThere = !isMade && errno == EEXIST
            // Some file systems have no links.
            guard isMade || isThere else { return FileOutput.replace(target, by: partial, file) }
            unlink(partial)
            return 0
        }
        return !isThere
    }

    private static func write(
        _ path: String, named name: String, content: (Descriptor) throws(SystemError) -> Void,
        finish: (_ target: String, _ partial: String, _ file: Int32) -> Int32
    ) throws(SystemError) {
        // Renaming onto a symbolic link would replace the link, not the file.
        let target = FilePath.resolved(path)
        let partial = PartialPath.beside(target)
        let file = try Descriptor.writing(partial, isNew: true, mode: 0o600)
        EndSignals.removeWhenInterrupted(partial)
        defer { EndSignals.keep(partial) }
        do throws(SystemError) {
            defer { file.shut() }
            try content(file)
            let code = finish(target, partial, file.number)
            guard code == 0 else { throw SystemError("\(name) cannot be written", code: code) }
        } catch {
            unlink(partial)
            throw error
        }
    }
}
