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
                throw Leak(
                    description: "the open files of this process cannot be listed: \(String(cString: strerror(errno)))")
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
