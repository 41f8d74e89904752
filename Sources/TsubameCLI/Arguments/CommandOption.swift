// CommandOption: one option: its description, its default and the property that it sets.

/// An option of a `Target`, which is a group of options or, after lifting, the whole command.
struct CommandOption<Target>: Sendable {
    let spec: OptionSpec
    /// The default, as help shows it; nil if there is none, or if the help text already says it.
    let shownDefault: (@Sendable (Target) -> String)?
    let set: @Sendable (inout Target, OptionValue) throws(UsageProblem) -> Void

    /// The same option for the `Whole` that contains the target.
    func lifted<Whole>(_ path: any WritableKeyPath<Whole, Target> & Sendable) -> CommandOption<Whole> {
        let set = set
        var shown: (@Sendable (Whole) -> String)?
        if let shownDefault { shown = { shownDefault($0[keyPath: path]) } }
        return CommandOption<Whole>(
            spec: spec, shownDefault: shown
        ) { whole, value throws(UsageProblem) in
            try set(&whole[keyPath: path], value)
        }
    }
}

extension CommandOption {
    /// An option without a value.
    static func flag(
        _ name: String, letter: Character? = nil, isHidden: Bool = false, _ help: String,
        _ set: @escaping @Sendable (inout Target) -> Void
    ) -> Self {
        let spec = OptionSpec(
            name: name, letter: letter, value: nil, help: help, isHidden: isHidden, isToggle: false)
        return Self(spec: spec, shownDefault: nil) { target, _ throws(UsageProblem) in set(&target) }
    }

    /// An option that is on unless `--no-name` is given.
    static func toggle(
        _ name: String, _ help: String, _ set: @escaping @Sendable (inout Target, Bool) -> Void
    ) -> Self {
        let spec = OptionSpec(name: name, letter: nil, value: nil, help: help, isHidden: false, isToggle: true)
        return Self(spec: spec, shownDefault: nil) { target, value throws(UsageProblem) in
            if case .off = value { set(&target, false) } else { set(&target, true) }
        }
    }

    /// An option with a value.
    /// - Parameter reading: converts the text. It throws what is wrong with the value, and the caller puts the option's
    ///   name before that.
    static func value<Value>(
        _ name: String, letter: Character? = nil, _ valueName: String,
        completion: OptionSpec.Value.Completion = .nothing, isAnyWord: Bool = false, isHidden: Bool = false,
        _ help: String, shown: (@Sendable (Target) -> String)? = nil,
        reading: @escaping @Sendable (String) throws(UsageProblem) -> Value,
        _ set: @escaping @Sendable (inout Target, Value) -> Void
    ) -> Self {
        let value = OptionSpec.Value(name: valueName, completion: completion, isAnyWord: isAnyWord)
        let spec = OptionSpec(
            name: name, letter: letter, value: value, help: help, isHidden: isHidden, isToggle: false)
        return Self(spec: spec, shownDefault: shown) { target, value throws(UsageProblem) in
            guard case .text(let text) = value else { return }
            if case .file = completion, text.isEmpty { throw UsageProblem("The name of the file is empty.") }
            set(&target, try reading(text))
        }
    }

    /// An option whose value is any text.
    static func value(
        _ name: String, letter: Character? = nil, _ valueName: String,
        completion: OptionSpec.Value.Completion = .nothing, isAnyWord: Bool = false, _ help: String,
        shown: (@Sendable (Target) -> String)? = nil, _ set: @escaping @Sendable (inout Target, String) -> Void
    ) -> Self {
        value(
            name, letter: letter, valueName, completion: completion, isAnyWord: isAnyWord, help, shown: shown,
            reading: { text throws(UsageProblem) in text }, set)
    }

    /// An option whose value is one of a few words.
    static func choice<Choice: CaseIterable & RawRepresentable<String> & SendableMetatype>(
        _ name: String, letter: Character? = nil, of type: Choice.Type, isHidden: Bool = false, _ help: String,
        _ set: @escaping @Sendable (inout Target, Choice) -> Void
    ) -> Self {
        let words = type.allCases.map(\.rawValue)
        let read = { @Sendable (text: String) throws(UsageProblem) -> Choice in
            guard let choice = Choice(rawValue: text) else {
                throw UsageProblem("“\(text)” is none of \(words.joined(separator: ", ")).")
            }
            return choice
        }
        return value(
            name, letter: letter, words.joined(separator: "|"), completion: .words(words), isHidden: isHidden, help,
            reading: read, set)
    }

    /// An option whose value is a whole number.
    static func number(
        _ name: String, _ valueName: String, isHidden: Bool = false, _ help: String,
        shown: (@Sendable (Target) -> String)? = nil, _ set: @escaping @Sendable (inout Target, Int) -> Void
    ) -> Self {
        let read = { @Sendable (text: String) throws(UsageProblem) -> Int in
            if let number = Int(text) { return number }
            let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            throw UsageProblem("“\(text)” is \(isNumber ? "too large" : "not a whole number").")
        }
        // `validate()` checks the range, together with all other values. So a number below zero is read here.
        return value(name, valueName, isAnyWord: true, isHidden: isHidden, help, shown: shown, reading: read, set)
    }
}
