// OutputFile: where the output goes: the standard output, or the file of -o.
#if Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Tsubame

/// Written piece by piece as the pieces come. A new or regular file is written under another name and renamed when it
/// is whole, so that a broken transfer leaves no half file and what was there stays until it is replaced.
final class OutputFile: Sendable {
    let isTerminal: Bool
    /// Of the descriptor.
    var number: Int32 { descriptor.number }
    private let descriptor: Descriptor
    private let target: String?
    private let partial: String?
    /// nil if everything is written at once.
    private let gathered: GatheredOutput?

    /// - Parameters:
    ///   - path: of the file; nil or `-` is the standard output.
    ///   - isShared: whether others write to it meanwhile; it is to be flushed then, now and again.
    init(_ path: String?, isShared: Bool = false) throws(SystemError) {
        gathered = isShared ? GatheredOutput() : nil
        guard let path, path != "-" else {
            descriptor = .output
            isTerminal = descriptor.isTerminal
            (target, partial) = (nil, nil)
            return
        }
        let status = FileStatus(of: path)
        if let status, status.kind != .regular {
            // A device, a pipe: there is nothing to replace.
            descriptor = try Descriptor.writing(path, isNew: false)
            isTerminal = descriptor.isTerminal
            (target, partial) = (nil, nil)
            return
        }
        // The link is to stay one.
        let target = FilePath.resolved(path)
        let partial = PartialPath.beside(target)
        do throws(SystemError) {
            // What takes the place of a file that not everybody may read must never have been open to everybody.
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

    func write(_ bytes: Bytes) throws(SystemError) {
        if let gathered { return try gathered.add(bytes, for: descriptor) }
        try bytes.withUnsafeBytes { bytes throws(SystemError) in try descriptor.writeAll(bytes) }
    }

    func write(_ text: String) throws(SystemError) {
        if let gathered { return try gathered.add(Bytes(text), for: descriptor) }
        try descriptor.writeAll(text)
    }

    /// What was written so far is to be seen now.
    func flush() throws(SystemError) { try gathered?.flush(to: descriptor) }

    /// Everything has been written.
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

    /// What has been written is not the whole.
    func discard() {
        guard let partial else { return }
        unlink(partial)
        EndSignals.keep(partial)
    }
}

#endif
