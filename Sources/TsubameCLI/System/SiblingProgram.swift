// SiblingProgram: a program in the folder of this one, which takes its place.

import TsubamePlatform

enum SiblingProgram {
    /// Runs the program in the place of this process.
    ///
    /// Returns only if there is no such program.
    /// - Throws: an error if the program cannot be run.
    static func become(_ name: String, _ arguments: [String]) throws {
        let path = folder + "/" + name
        guard access(path, F_OK) == 0 else { return }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        execv(path, &words)
        throw SystemError("\(path) cannot be run")
    }

    /// The folder of this program.
    private static var folder: String {
        let link = "/proc/self/exe"
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count - 1)
        let path =
            count > 0
            ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            : CommandLine.arguments.first ?? ""
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
