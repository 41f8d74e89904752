// ContentOptions: the options about what is sent.
#if Tool
import ArgumentParser

struct ContentOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Items are sent as a JSON object (the default), and JSON is asked for.")
    var json = false

    @Flag(name: [.short, .long], help: "Items are sent as a form.")
    var form = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Send this body; @- is the standard input.", valueName: "text|@file|@-"))
    var raw: String?

    @Flag(name: [.customShort("I"), .long], help: "Never read the standard input.")
    var ignoreStdin = false

    var format: RequestContent.Format { form ? .form : json ? .json : .automatic }

    func validate() throws {
        if form, json { throw ValidationError("--form and --json exclude each other.") }
        if ignoreStdin, raw == "@-" { throw ValidationError("--raw @- reads what --ignore-stdin forbids.") }
    }
}

#endif
