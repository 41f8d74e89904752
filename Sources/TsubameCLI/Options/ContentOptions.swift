// ContentOptions: the options about what is sent.
#if Tool
import ArgumentParser
import Tsubame

struct ContentOptions: ParsableArguments {
    enum Scheme: String, ExpressibleByArgument, CaseIterable {
        case http, https
    }

    @Flag(name: [.short, .long], help: "Items are sent as a JSON object (the default), and JSON is asked for.")
    var json = false

    @Flag(name: [.short, .long], help: "Items are sent as a form; with files, as multipart/form-data.")
    var form = false

    @Flag(help: "Items are sent as multipart/form-data, also without files.")
    var multipart = false

    @Option(
        help: ArgumentHelp(
            "What stands between the parts of multipart/form-data; without it, something random.", valueName: "text"))
    var boundary: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Send this body; @- is the standard input.", valueName: "text|@file|@-"))
    var raw: String?

    @Flag(
        name: [.customShort("x"), .long],
        help: "Compress the body with gzip if it becomes smaller; given twice, in any case.")
    var compress: Int

    @Flag(help: "Send the body chunked, without its length; what comes by the standard input, as it comes.")
    var chunked = false

    @Flag(name: [.customShort("I"), .long], help: "Never read the standard input.")
    var ignoreStdin = false

    @Flag(help: "Print the request, --print=HB unless told otherwise, and send nothing.")
    var offline = false

    @Option(
        help: ArgumentHelp(
            "Of URLs without one; without this option, http for localhost and IP addresses, else https.",
            valueName: "http|https"))
    var defaultScheme: Scheme?

    // HTTPie's users may have it in their scripts.
    @Flag(help: ArgumentHelp("Leave /../ and /./ in the URL's path as they are: always so.", visibility: .hidden))
    var pathAsIs = false

    var format: RequestContent.Format { multipart ? .multipart : form ? .form : json ? .json : .automatic }

    func validate() throws {
        if form || multipart, json {
            throw ValidationError("\(form ? "--form" : "--multipart") and --json exclude each other.")
        }
        if multipart, raw != nil { throw ValidationError("--multipart sends items, not what --raw gives.") }
        if ignoreStdin, raw == "@-" { throw ValidationError("--raw @- reads what --ignore-stdin forbids.") }
        if let boundary, !MultipartFraming.isBoundary(boundary) {
            throw ValidationError(
                "--boundary is 1 to 70 letters, digits, spaces and '()+_,-./:=? without a space at its end.")
        }
    }
}

#endif
