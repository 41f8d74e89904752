// PasswordPrompt: asks the user at the terminal for a secret.

import Synchronization
import TsubamePlatform

/// Asks at the controlling terminal, even if the standard streams are redirected, and does not echo the input.
enum PasswordPrompt {
    /// The answers so far, so that several downloads from one host ask once.
    private static let answers = Mutex<[String: String]>([:])

    /// - Parameters:
    ///   - what: the secret to ask for.
    ///   - advice: the alternative to tell if the user cannot be asked.
    ///   - mayPrompt: whether the user may be asked.
    static func ask(_ what: String, instead advice: String, mayPrompt: Bool) throws -> String {
        guard mayPrompt else { throw UsageProblem("--ignore-stdin does not ask for the \(what): \(advice).") }
        if let answer = answers.withLock({ $0[what] }) { return answer }
        let answer = try read(what, instead: advice)
        answers.withLock { $0[what] = answer }
        return answer
    }

    private static func read(_ what: String, instead advice: String) throws -> String {
        let terminal = Descriptor(number: open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY))
        guard terminal.number >= 0 else {
            throw UsageProblem("There is no terminal to ask for the \(what): \(advice).")
        }
        defer { terminal.shut() }
        var settings = termios()
        guard tcgetattr(terminal.number, &settings) == 0 else { throw SystemError("the terminal cannot be used") }
        let before = settings
        // Byte by byte, and without signals from keys.
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        var line = TypedLine()
        try EndSignals.restoring(before, of: terminal.number) {
            _ = tcsetattr(terminal.number, TCSAFLUSH, &settings)
            try terminal.writeAll("tsubame: \(what): ")
            while line.end == nil {
                let bytes = try terminal.readPiece(1)
                line.take(bytes.first)
            }
        }
        try? terminal.writeAll("\n")
        if line.end == .interrupted { EndSignals.endAsInterrupted() }
        guard line.end == .entered else { throw UsageProblem("The \(what) was not given.") }
        return String(decoding: line.bytes, as: UTF8.self)
    }
}

/// The typed line. It handles the keys that a terminal would otherwise handle.
struct TypedLine {
    enum End {
        case entered, interrupted, closed
    }

    private static let maximumBytes = 4096

    private(set) var bytes: [UInt8] = []
    private(set) var end: End?

    /// - Parameter byte: nil at the end of the input.
    mutating func take(_ byte: UInt8?) {
        switch byte {
        case nil: end = .closed
        case 0x0A, 0x0D: end = .entered
        case 0x03, 0x1C: end = .interrupted
        // At the start of a line, Ctrl-D is the end of the input.
        case 0x04: end = bytes.isEmpty ? .closed : .entered
        case 0x08, 0x7F:
            // Removes a whole character, with all of its bytes.
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        case 0x15: bytes = []
        case let byte?: if bytes.count < Self.maximumBytes { bytes.append(byte) }
        }
    }
}
