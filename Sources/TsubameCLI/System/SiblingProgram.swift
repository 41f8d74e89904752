// SiblingProgram: a program in the folder of this one, which takes its place.

import TsubamePlatform

enum SiblingProgram {
    /// Runs the program in the place of this process.
    ///
    /// Returns only if there is no such program.
    /// - Throws: an error if the program cannot be run.
    static func become(_ name: String, _ arguments: [String]) throws {
        guard let folder = ProgramFile.folder else { return }
        let path = folder + "/" + name
        guard access(path, F_OK) == 0 else { return }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        execv(path, &words)
        throw SystemError("\(path) cannot be run")
    }
}
