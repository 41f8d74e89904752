// Diagnostics: what is said on the standard error.
#if Tool
import Tsubame
import TsubameTerminal

enum Diagnostics {
    /// `tsubame: ` and the text, in which nothing of a server's can steer a terminal. That nobody reads it is no error.
    static func say(_ text: String) { try? Descriptor.errors.writeAll("tsubame: \(Canvas.visible(text))\n") }

    /// An error in words, with settings called by their flags.
    static func say(_ error: any Error) {
        say((error as? CallError).map(FlagNames.text) ?? "\(error)")
    }
}

#endif
