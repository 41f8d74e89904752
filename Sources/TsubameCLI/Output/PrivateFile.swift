// PrivateFile: writes a file that only its owner can read.

import TsubamePlatform

enum PrivateFile {
    /// Replaces the file as a whole, so that no reader sees a half of it.
    /// - Parameters:
    ///   - content: writes the bytes.
    ///   - name: the file in words, for an error.
    static func replace(
        _ path: String, named name: String, content: (Descriptor) throws(SystemError) -> Void
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
            let code = FileOutput.replace(target, by: partial, file.number)
            guard code == 0 else { throw SystemError("\(name) cannot be written", code: code) }
        } catch {
            unlink(partial)
            throw error
        }
    }
}
