// Diagnostics: messages on the standard error.

import Synchronization
import Tsubame
import TsubameTerminal

enum Diagnostics {
    /// The progress lines at the foot of the terminal, which are removed while a message is written.
    private static let board = Mutex<ProgressBoard?>(nil)

    /// Writes later messages above the lines of the board.
    static func keepClear(of board: ProgressBoard) { self.board.withLock { $0 = board } }

    /// Writes `tsubame: ` and the text, with the server's control characters made visible. A missing reader is not an
    /// error.
    static func say(_ text: String) {
        let line = "tsubame: \(Canvas.visible(text))\n"
        guard let board = board.withLock({ $0 }) else { return write(line) }
        board.aside { write(line) }
    }

    private static func write(_ line: String) { try? Descriptor.errors.writeAll(line) }

    /// Writes an error, with the library's settings replaced by their flags.
    /// - Parameter hint: advice, written in a line below the error.
    static func say(_ error: any Error, hint: String? = nil) {
        let text = (error as? CallError).map(FlagNames.text) ?? "\(error)"
        say(hint.map { "\(text)\n  \($0)" } ?? text)
    }
}
