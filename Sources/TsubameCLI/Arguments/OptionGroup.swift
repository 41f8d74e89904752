// OptionGroup: the options about one subject, under a title for help.

/// Properties with their defaults, and the options that set them.
protocol Options {
    /// The title that help shows.
    static var title: String { get }
    static var options: [CommandOption<Self>] { get }

    init()
}

struct OptionGroup<Command>: Sendable {
    let title: String
    let options: [CommandOption<Command>]

    init(_ title: String, _ options: [CommandOption<Command>]) {
        self.title = title
        self.options = options
    }

    /// The options of one of the command's properties.
    /// - Parameter leftOut: names of options that mean nothing to this command.
    init<Part: Options>(_ path: any WritableKeyPath<Command, Part> & Sendable, without leftOut: Set<String> = []) {
        title = Part.title
        options = Part.options.filter { !leftOut.contains($0.spec.name) }.map { $0.lifted(path) }
    }
}
