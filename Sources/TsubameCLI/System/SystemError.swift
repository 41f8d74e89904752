// SystemError: the error of a failed system call, with the system's message.

import TsubamePlatform

struct SystemError: Error, CustomStringConvertible {
    /// The failed action, such as `the file x cannot be read`.
    let what: String
    private let code: Int32

    /// - Parameter code: the system's error number; by default the last one.
    init(_ what: String, code: Int32 = errno) {
        self.what = what
        self.code = code
    }

    /// The same error, after the command-line item that caused it.
    func of(_ item: String) -> SystemError { SystemError("\(item): \(what)", code: code) }

    /// The same reason for another failed action.
    func saying(_ what: String) -> SystemError { SystemError(what, code: code) }

    /// Whether no file of that name exists.
    var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

    var isBrokenPipe: Bool { code == EPIPE }

    var description: String { "\(what): \(String(cString: strerror(code)))" }
}
