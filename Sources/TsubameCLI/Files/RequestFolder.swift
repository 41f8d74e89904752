// RequestFolder: the folder of a file of requests, where the paths in the file begin.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

struct RequestFolder: Sendable {
    /// The largest file that is read as a whole, in bytes.
    private static let maximumBytes: Int64 = 256 << 20

    let path: String

    /// Whether entries read only files within this folder or the working folder, as Hurl does. Editors read any file.
    private let confinesReading: Bool

    init(of file: String) {
        path = FilePath.folder(of: file)
        confinesReading = file.lowercased().hasSuffix(".hurl")
    }

    /// The path itself, or the files of requests in that folder and the folders below it.
    static func files(at path: String) throws(SystemError) -> [String] {
        guard FileStatus(of: path)?.kind == .folder else { return [path] }
        var files: [String] = []
        for name in try Folder.names(in: path) {
            let inner = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            // A link could lead back to a folder above.
            if FileStatus(of: inner, followsLinks: false)?.kind == .folder {
                files += try Self.files(at: inner)
            } else if [.http, .hurl].contains(FileFormat(path: name)), FileStatus(of: inner)?.kind == .regular {
                files.append(inner)
            }
        }
        return files
    }

    /// The path of a file that an entry names.
    func path(_ name: String) -> String {
        let name = HomePath.expand(name)
        return name.hasPrefix("/") || path == "." ? name : "\(path)/\(name)"
    }

    /// The path in this folder, or in the working folder if the file is not here.
    func existingPath(_ name: String) -> String {
        let path = path(name)
        return access(path, F_OK) == 0 || access(name, F_OK) != 0 ? path : name
    }

    /// The path of a file that an entry sends or compares with.
    func readablePath(_ name: String) throws(ValueProblem) -> String {
        confinesReading ? try innerPath(name, "read") : path(name)
    }

    /// The path of a file that an entry writes, which stays within this folder or the working folder.
    func writablePath(_ name: String) throws(ValueProblem) -> String { try innerPath(name, "written") }

    private func innerPath(_ name: String, _ action: String) throws(ValueProblem) -> String {
        let path = path(name)
        let target = FilePath.absolute(path)
        guard access(FilePath.folder(of: path), F_OK) == 0 else {
            throw ValueProblem("the folder of \(name) does not exist")
        }
        let folders = [FilePath.resolved(self.path), FilePath.resolved(".")]
        guard folders.contains(where: { target.hasPrefix($0 == "/" ? "/" : $0 + "/") }), !target.contains("/../") else {
            throw ValueProblem(
                "\(name) is outside of the folder of this file, and only files within it or the working folder are \(action)"
            )
        }
        return path
    }

    func read(_ name: String) throws(ValueProblem) -> [UInt8] {
        let path = try readablePath(name)
        do throws(SystemError) {
            return try Self.bytes(of: path)
        } catch {
            throw ValueProblem("\(error)")
        }
    }

    static func bytes(of path: String) throws(SystemError) -> [UInt8] {
        let file = try Descriptor.reading(path)
        defer { file.shut() }
        if file.kind == .other { throw SystemError("\(path) is neither a file nor a pipe", code: EINVAL) }
        if file.kind == .regular, file.remainingBytes > maximumBytes {
            throw SystemError("the file \(path) is longer than 256 MiB", code: EFBIG)
        }
        guard let bytes = try file.readAll(atMost: Int(maximumBytes)) else {
            throw SystemError("the file \(path) is longer than 256 MiB", code: EFBIG)
        }
        return bytes
    }

    /// The text of a file in UTF-8.
    static func text(of path: String) throws(SystemError) -> String {
        guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
            throw SystemError("the file \(path) is no text in UTF-8", code: EILSEQ)
        }
        return text
    }
}
