// OptionSpec: what an option is called, what follows it, and what it is for.
#if Tool

/// All that help, completions and the manual page say of an option, and all that reading needs to know.
struct OptionSpec: Sendable {
    /// What follows the name.
    struct Value: Sendable {
        /// What a shell offers in its place.
        enum Completion: Sendable {
            case nothing, file
            case words([String])
        }

        /// As help shows it.
        let name: String
        let completion: Completion
        /// Whether the next word is it, whatever that looks like. Otherwise one with a hyphen before it is taken for an
        /// option, and the value for forgotten.
        let isAnyWord: Bool
    }

    /// Without its hyphens.
    let name: String
    let letter: Character?
    /// nil for a flag.
    let value: Value?
    let help: String
    /// Left out wherever options are listed.
    let isHidden: Bool
    /// Whether `--no-name` is an option by itself, and does not take the other one back.
    let isToggle: Bool

    /// As it is written.
    var spelled: String { "--" + name }
}

/// What was given with an option.
enum OptionValue {
    case on, off
    case text(String)
}

#endif
