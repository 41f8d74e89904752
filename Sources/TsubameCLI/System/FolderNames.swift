// FolderNames: the names of the files in a folder.

import TsubamePlatform

enum FolderNames {
    /// The names in alphabetic order, without those that begin with a dot; none if there is no such folder.
    static func all(in path: String) throws(SystemError) -> [String] {
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
}
