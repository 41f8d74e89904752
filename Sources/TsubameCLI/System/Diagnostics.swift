// Diagnostics: what is said on the standard error.
#if Tool
import Synchronization
import Tsubame
import TsubameTerminal

enum Diagnostics {
    /// The lines at the foot of the terminal, which have to go aside.
    private static let board = Mutex<ProgressBoard?>(nil)

    /// From now on what is said goes above the lines of the board.
    static func keepClear(of board: ProgressBoard) { self.board.withLock { $0 = board } }

    /// `tsubame: ` and the text, in which nothing of a server's can steer a terminal. That nobody reads it is no error.
    static func say(_ text: String) {
        let line = "tsubame: \(Canvas.visible(text))\n"
        guard let board = board.withLock({ $0 }) else { return write(line) }
        board.aside { write(line) }
    }

    private static func write(_ line: String) { try? Descriptor.errors.writeAll(line) }

    /// An error in words, with settings called by their flags.
    /// - Parameter hint: what may help, in a line below it.
    static func say(_ error: any Error, hint: String? = nil) {
        let text = (error as? CallError).map(FlagNames.text) ?? "\(error)"
        say(hint.map { "\(text)\n  \($0)" } ?? text)
    }
}

#endif
