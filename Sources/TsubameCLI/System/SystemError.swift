// SystemError: what the system refused, in its words.
#if Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct SystemError: Error, CustomStringConvertible {
    /// What could not be done, such as `the file x cannot be read`.
    let what: String
    private let code: Int32

    /// - Parameter code: the system's; the last one unless given.
    init(_ what: String, code: Int32 = errno) {
        self.what = what
        self.code = code
    }

    /// The same, said of what was given on the command line.
    func of(_ item: String) -> SystemError { SystemError("\(item): \(what)", code: code) }

    /// Nothing is there of that name.
    var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

    var isBrokenPipe: Bool { code == EPIPE }

    var description: String { "\(what): \(String(cString: strerror(code)))" }
}

#endif
