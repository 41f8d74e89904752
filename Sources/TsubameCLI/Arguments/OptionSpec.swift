// OptionSpec: the name, the value and the help text of an option.

/// Everything that help, completions and the manual page show of an option, and everything that reading it needs.
struct OptionSpec: Sendable {
    /// The value that follows the name.
    struct Value: Sendable {
        /// The completions that a shell offers for the value.
        enum Completion: Sendable {
            case nothing, file
            /// A name of the user's choice, or a file.
            case nameOrFile
            case words([String])
        }

        /// The name that help shows for the value.
        let name: String
        let completion: Completion
        /// Whether the next word is the value even if it begins with a hyphen. Otherwise such a word is taken for an
        /// option, and the value counts as missing.
        let isAnyWord: Bool
    }

    /// The name without its hyphens.
    let name: String
    let letter: Character?
    /// nil for a flag.
    let value: Value?
    let help: String
    /// Whether lists of options leave this option out.
    let isHidden: Bool
    /// Whether `--no-name` is an option of its own. Otherwise `--no-name` takes the option back.
    let isToggle: Bool

    /// The name with its hyphens.
    var spelled: String { "--" + name }
}

/// The value that was given with an option.
enum OptionValue {
    case on, off
    case text(String)
}
