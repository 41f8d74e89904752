// Folder: the names of the files in a folder, and its creation.

import TsubamePlatform

enum Folder {
    /// The names in alphabetic order, without those that begin with a dot; none if there is no such folder.
    static func names(in path: String) throws(SystemError) -> [String] {
        guard let folder = opendir(path) else {
            let error = SystemError("the folder \(path) cannot be read")
            if error.isMissingFile { return [] }
            throw error
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
    /// Creates a folder and those above it that are missing, for this user only.
    /// - Parameter purpose: the words after "for" in the error, such as "the session".
    static func create(_ path: String, for purpose: String) throws(SystemError) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            if access(part, F_OK) != 0, mkdir(part, 0o700) != 0, errno != EEXIST {
                throw SystemError("the folder \(part) for \(purpose) cannot be created")
            }
        }
    }
}
