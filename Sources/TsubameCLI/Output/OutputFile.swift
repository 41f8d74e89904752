// OutputFile: the destination of the output: the standard output, or the file of -o.

import Tsubame
import TsubamePlatform

/// Pieces are written as they come. A new or regular file is written under another name and renamed when it is
/// complete. So a broken transfer leaves no partial file, and the old file stays until the new one replaces it.
final class OutputFile: Sendable {
    let isTerminal: Bool
    /// The number of the descriptor.
    var number: Int32 { descriptor.number }
    private let descriptor: Descriptor
    private let target: String?
    /// The path of an existing file with content that this output replaces.
    let replaced: String?
    private let partial: String?
    /// nil if pieces are written immediately.
    private let gathered: GatheredOutput?

    /// - Parameters:
    ///   - path: the path of the file; nil or `-` for the standard output.
    ///   - isShared: whether other runs write to the same destination. The output is then gathered until `flush()`.
    init(_ path: String?, isShared: Bool = false) throws(SystemError) {
        gathered = isShared ? GatheredOutput() : nil
        guard let path, path != "-" else {
            descriptor = .output
            isTerminal = descriptor.isTerminal
            (target, partial, replaced) = (nil, nil, nil)
            return
        }
        let status = FileStatus(of: path)
        if let status, status.kind != .regular {
            // A device or a pipe cannot be replaced.
            descriptor = try Descriptor.writing(path, isNew: false)
            isTerminal = descriptor.isTerminal
            (target, partial, replaced) = (nil, nil, nil)
            return
        }
        try Self.checkReplacing(path)
        replaced = status.map { $0.size > 0 } == true ? path : nil
        // Renaming onto a symbolic link would replace the link, not the file.
        let target = FilePath.resolved(path)
        let partial = PartialPath.beside(target)
        do throws(SystemError) {
            // The replacement of a protected file must be protected from the moment it is created.
            let mode = status.map { mode_t($0.permissions) }
            descriptor = try Descriptor.writing(partial, isNew: true, mode: mode ?? 0o666)
            if let mode { fchmod(descriptor.number, mode) }
        } catch {
            throw SystemError("the file \(path) cannot be written")
        }
        EndSignals.removeWhenInterrupted(partial)
        isTerminal = false
        (self.target, self.partial) = (target, partial)
    }

    /// Throws if there is a file at the path that must not be written. Its folder may allow that it is replaced, but its owner
    /// did not want that.
    static func checkReplacing(_ path: String) throws(SystemError) {
        guard access(path, F_OK) == 0, access(path, W_OK) != 0 else { return }
        throw SystemError("the file \(path) cannot be written", code: errno)
    }

    func write(_ bytes: Bytes) throws(SystemError) {
        if let gathered { return try gathered.add(bytes, for: descriptor) }
        try bytes.withUnsafeBytes { bytes throws(SystemError) in try descriptor.writeAll(bytes) }
    }

    func write(_ text: String) throws(SystemError) {
        if let gathered { return try gathered.add(Bytes(text), for: descriptor) }
        try descriptor.writeAll(text)
    }

    /// Has these texts hidden in gathered output that is not written yet.
    func hide(_ texts: [String]) { gathered?.hide(texts) }

    /// Ends the last line of gathered output.
    func endLine() throws(SystemError) { if gathered?.isWithinLine ?? false { try write("\n") } }

    /// Writes the gathered output now.
    func flush() throws(SystemError) { try gathered?.flush(to: descriptor) }

    /// Completes the file after everything has been written.
    func finish() throws(SystemError) {
        try flush()
        guard let target, let partial else { return }
        let code = FileOutput.replace(target, by: partial, descriptor.number)
        descriptor.shut()
        guard code == 0 else {
            discard()
            throw SystemError("the file \(target) cannot be written", code: code)
        }
        EndSignals.keep(partial)
    }

    /// Removes the partial file of an output that is not complete.
    func discard() {
        guard let partial else { return }
        unlink(partial)
        EndSignals.keep(partial)
    }
}
