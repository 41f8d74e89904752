// Diagnostics: what is said on the standard error.
#if Tool
import TsubameTerminal

enum Diagnostics {
    /// `tsubame: ` and the text, in which nothing of a server's can steer a terminal. That nobody reads it is no error.
    static func say(_ text: String) { try? Descriptor.errors.writeAll("tsubame: \(Canvas.visible(text))\n") }
}

#endif
