// PrivateFile: writes a file that only its owner can read.

import TsubamePlatform

enum PrivateFile {
    /// Checks that the file can be written.
    static func check(_ path: String, named name: String) throws(SystemError) {
        let status = FileStatus(of: path)
        switch status?.kind {
        case .folder: throw SystemError("\(name) cannot be written", code: EISDIR)
        case .socket where !isStream(path): throw SystemError("\(name) cannot be written", code: ENXIO)
        default: break
        }
        guard let status, isWrittenInPlace(path) else {
            let folder = FilePath.folder(of: FilePath.absolute(path))
            if access(folder, W_OK | X_OK) != 0 { throw SystemError("\(name) cannot be written") }
            return
        }
        // To open a pipe and to close it again would end its reader.
        try checkOwner(status, path, named: name)
        if access(path, W_OK) != 0 { throw SystemError("\(name) cannot be written") }
    }

    /// Replaces the file as a whole, so that no reader sees a half of it. A device or a pipe cannot be replaced, and takes the
    /// bytes.
    /// - Parameters:
    ///   - content: writes the bytes.
    ///   - name: the file in words, for an error.
    static func replace(
        _ path: String, named name: String, content: (Descriptor) throws(SystemError) -> Void
    ) throws(SystemError) {
        if isWrittenInPlace(path) {
            let file = try opened(path, named: name)
            defer { file.shut() }
            do throws(SystemError) {
                return try content(file)
            } catch {
                throw error.saying("\(name) cannot be written")
            }
        }
        try write(path, named: name, content: content) { target, partial, file in
            FileOutput.replace(target, by: partial, file)
        }
    }

    /// Whether the path names a stream of the process, which may lead to a file with other content.
    private static func isStream(_ path: String) -> Bool {
        ["/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
    }

    private static func isWrittenInPlace(_ path: String) -> Bool {
        guard let status = FileStatus(of: path) else { return false }
        return status.kind != .regular || isStream(path)
    }

    /// Another user must not get the bytes by a pipe of his own in a folder that all may write.
    private static func checkOwner(_ status: FileStatus, _ path: String, named name: String) throws(SystemError) {
        guard status.kind != .pipe || isStream(path) || status.owner == geteuid() || status.owner == 0 else {
            throw SystemError("\(name) cannot be written", code: EPERM)
        }
    }

    /// Opens a device, a pipe or a stream of the process.
    private static func opened(_ path: String, named name: String) throws(SystemError) -> Descriptor {
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard file >= 0 else { throw SystemError("\(name) cannot be written") }
        let descriptor = Descriptor(number: file)
        do throws(SystemError) {
            guard let status = FileStatus(of: file) else { throw SystemError("\(name) cannot be written") }
            try checkOwner(status, path, named: name)
        } catch {
            descriptor.shut()
            throw error
        }
        return descriptor
    }

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
            guard code == 0 else { throw SystemError(name, code: code) }
        } catch {
            unlink(partial)
            throw error.saying("\(name) cannot be written")
        }
    }
}
