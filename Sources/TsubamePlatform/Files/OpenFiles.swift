// OpenFiles: the files that this process has open, as each system lists them.

package enum OpenFiles {
    /// The path without symbolic links; nil, with the reason in `errno`, if there is no such file or folder.
    package static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Raises this process's limit of open files to this number, as far as the system allows. Only on Linux with Glibc,
    /// where the limit is often 1024.
    /// - Returns: the limit now; nil if it is not known.
    package static func allow(_ count: Int) -> Int? {
        #if os(Linux) && canImport(Glibc)
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(files, &limit) == 0 else { return nil }
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(count)))
        return setrlimit(files, &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
        #else
        return nil
        #endif
    }

    /// The paths behind the descriptors of this process; nil, with the reason in `errno`, if they cannot be listed.
    package static func paths() -> [String]? {
        #if os(Linux) || os(Android)
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
        errno = ENOSYS
        return nil
        #endif
    }
}
