// Diagnostics: what is said on the standard error.
#if Tool

enum Diagnostics {
    /// `tsubame: ` and the text. That nobody reads it is no error.
    static func say(_ text: String) { try? Descriptor.errors.writeAll("tsubame: \(text)\n") }
}

#endif
