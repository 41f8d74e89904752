// OptionTable: all options of a command, found by name or letter.

import TsubameRequestFiles

struct OptionTable<Command>: Sendable {
    let groups: [OptionGroup<Command>]

    /// Searched from the start. A command line names a few of seventy options, so an index would cost more than it
    /// saves.
    private let all: [CommandOption<Command>]

    init(_ groups: OptionGroup<Command>...) {
        self.groups = groups
        all = groups.flatMap(\.options)
    }

    /// - Parameter name: the name without hyphens.
    subscript(name: some StringProtocol) -> CommandOption<Command>? { all.first { $0.spec.name == name } }

    subscript(letter: Character) -> CommandOption<Command>? { all.first { $0.spec.letter == letter } }

    /// The options most like a name that does not exist, with their hyphens.
    func nearest(to name: some StringProtocol) -> [String] {
        let names = all.filter { !$0.spec.isHidden }.flatMap { option in
            option.spec.isToggle ? [option.spec.name, "no-" + option.spec.name] : [option.spec.name]
        }
        return NearestName.find(String(name), in: names).map { "--" + $0 }
    }
}
