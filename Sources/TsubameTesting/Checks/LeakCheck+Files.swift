// LeakCheck+Files: finds the files of a folder that this process still has open.

internal import TsubamePlatform

extension LeakCheck {
    /// Waits until this process has no file of a folder open, such as the folder that a test downloads into.
    ///
    /// Only files of this folder and of the folders in it count, even if they have been removed. So tests that have a
    /// folder each can run in parallel.
    /// - Parameters:
    ///   - folder: the path of the folder, which must exist.
    ///   - time: the longest wait.
    /// - Throws: ``Leak``, which lists the paths of the open files, or says why they cannot be listed.
    public static func verifyNoOpenFiles(in folder: String, within time: Duration = .seconds(10)) async throws(Leak) {
        guard let folder = OpenFiles.resolved(folder) else {
            throw Leak(description: "the folder \(folder) cannot be found: \(String(cString: strerror(errno)))")
        }
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: time)
        while true {
            guard let paths = OpenFiles.paths() else {
                throw Leak(description: "the open files of this process cannot be listed on this system")
            }
            let prefix = folder == "/" ? folder : folder + "/"
            let left = paths.filter { $0.hasPrefix(prefix) }.sorted()
            if left.isEmpty { return }
            // Which descriptors are open is no event either.
            guard clock.now < end else { throw Leak(description: "files left open: \(left.joined(separator: ", "))") }
            await Task.yield()
        }
    }
}

private enum OpenFiles {
    /// The path without symbolic links; nil if there is no such file or folder.
    static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The paths behind the descriptors of this process; nil if the system does not list them.
    static func paths() -> [String]? {
        #if os(Linux)
        let table = "/proc/self/fd"
        guard let folder = opendir(table) else { return nil }
        defer { closedir(folder) }
        var paths: [String] = []
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 16)
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let count = readlink("\(table)/\(name)", &buffer, buffer.count)
            if count > 0 { paths.append(String(decoding: buffer.prefix(count), as: UTF8.self)) }
        }
        return paths
        #elseif canImport(Darwin)
        return (0..<getdtablesize()).compactMap { descriptor in
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            guard fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return nil }
            return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        }
        #else
        return nil
        #endif
    }
}
