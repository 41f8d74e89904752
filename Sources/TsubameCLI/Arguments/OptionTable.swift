// OptionTable: all options of a command, and the one of a name.
#if Tool

struct OptionTable<Command>: Sendable {
    let groups: [OptionGroup<Command>]

    /// Looked through from the start: a command line names a few options of seventy, so that an index would cost more
    /// than it saves.
    private let all: [CommandOption<Command>]

    init(_ groups: OptionGroup<Command>...) {
        self.groups = groups
        all = groups.flatMap(\.options)
    }

    /// - Parameter name: without hyphens.
    subscript(name: some StringProtocol) -> CommandOption<Command>? { all.first { $0.spec.name == name } }

    subscript(letter: Character) -> CommandOption<Command>? { all.first { $0.spec.letter == letter } }

    /// What is there instead of a name that is not; as it is written.
    func nearest(to name: some StringProtocol) -> [String] {
        let names = all.filter { !$0.spec.isHidden }.flatMap { option in
            option.spec.isToggle ? [option.spec.name, "no-" + option.spec.name] : [option.spec.name]
        }
        return NearestName.find(String(name), in: names).map { "--" + $0 }
    }
}

#endif
