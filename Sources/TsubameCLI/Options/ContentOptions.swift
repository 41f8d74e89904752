// ContentOptions: the options about what is sent.
#if Tool
import Tsubame

struct ContentOptions: Options {
    enum Scheme: String, CaseIterable {
        case http, https
    }

    var json = false
    var form = false
    var multipart = false
    var boundary: String?
    var raw: String?
    /// How often it was given.
    var compress = 0
    var chunked = false
    var ignoreStdin = false
    var offline = false
    var defaultScheme: Scheme?
    var pathAsIs = false

    static let title = "What is sent"
    static let options: [CommandOption<Self>] = [
        .flag("json", letter: "j", "Items are sent as a JSON object (the default), and JSON is asked for.") {
            $0.json = true
        },
        .flag("form", letter: "f", "Items are sent as a form; with files, as multipart/form-data.") { $0.form = true },
        .flag("multipart", "Items are sent as multipart/form-data, also without files.") { $0.multipart = true },
        .value(
            "boundary", "text", "What stands between the parts of multipart/form-data; without it, something random."
        ) { $0.boundary = $1 },
        .value("raw", "text|@file|@-", isAnyWord: true, "Send this body; @- is the standard input.") { $0.raw = $1 },
        .flag(
            "compress", letter: "x", "Compress the body with gzip if it becomes smaller; given twice, in any case."
        ) { $0.compress += 1 },
        .flag(
            "chunked", "Send the body chunked, without its length; what comes by the standard input, as it comes."
        ) { $0.chunked = true },
        .flag("ignore-stdin", letter: "I", "Never read the standard input.") { $0.ignoreStdin = true },
        .flag("offline", "Print the request, --print=HB unless told otherwise, and send nothing.") {
            $0.offline = true
        },
        .choice(
            "default-scheme", of: Scheme.self,
            "Of URLs without one; without this option, http for localhost and IP addresses, else https."
        ) { $0.defaultScheme = $1 },
        .flag("path-as-is", "Send /../ and /./ of the URL's path as they are; by default they are resolved.") {
            $0.pathAsIs = true
        },
    ]

    var format: RequestContent.Format { multipart ? .multipart : form ? .form : json ? .json : .automatic }

    func validate() throws(UsageProblem) {
        if form || multipart, json {
            throw UsageProblem("\(form ? "--form" : "--multipart") and --json exclude each other.")
        }
        if multipart, raw != nil { throw UsageProblem("--multipart sends items, not what --raw gives.") }
        if ignoreStdin, raw == "@-" { throw UsageProblem("--raw @- reads what --ignore-stdin forbids.") }
        if let boundary, !MultipartFraming.isBoundary(boundary) {
            throw UsageProblem(
                "--boundary is 1 to 70 letters, digits, spaces and '()+_,-./:=? without a space at its end.")
        }
    }
}

#endif
