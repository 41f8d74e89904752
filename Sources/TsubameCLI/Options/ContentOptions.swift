// ContentOptions: the options about what is sent.
#if Tool
import ArgumentParser

struct ContentOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Items are sent as a JSON object (the default), and JSON is asked for.")
    var json = false

    @Flag(name: [.short, .long], help: "Items are sent as a form; with files, as multipart/form-data.")
    var form = false

    @Flag(help: "Items are sent as multipart/form-data, also without files.")
    var multipart = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Send this body; @- is the standard input.", valueName: "text|@file|@-"))
    var raw: String?

    @Flag(name: [.customShort("I"), .long], help: "Never read the standard input.")
    var ignoreStdin = false

    var format: RequestContent.Format { multipart ? .multipart : form ? .form : json ? .json : .automatic }

    func validate() throws {
        if form || multipart, json {
            throw ValidationError("\(form ? "--form" : "--multipart") and --json exclude each other.")
        }
        if multipart, raw != nil { throw ValidationError("--multipart sends items, not what --raw gives.") }
        if ignoreStdin, raw == "@-" { throw ValidationError("--raw @- reads what --ignore-stdin forbids.") }
    }
}

#endif
