// ProgramFile: where the file of the running program is.

package enum ProgramFile {
    /// The folder of the running program, as an absolute path; nil if the system does not say.
    package static var folder: String? {
        guard let path, path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return nil }
        return String(path[..<slash])
    }

    private static var path: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        #if canImport(Darwin)
        var size = UInt32(buffer.count)
        guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
        let count = buffer.firstIndex(of: 0) ?? buffer.count
        #else
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        #endif
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
