// ContentOptions: the options about the content of a request, and about its URL.

import Tsubame

struct ContentOptions: Options {
    enum Scheme: String, CaseIterable {
        case http, https
    }

    var json = false
    var form = false
    var multipart = false
    var boundary: String?
    var partTypes: [(name: String, type: String)] = []
    var raw: String?
    /// The number of times that `--compress` was given.
    var compress = 0
    var chunked = false
    var ignoreStdin = false
    var offline = false
    /// The language of `--as`; nil for a request that is sent.
    var language: RequestLanguage?
    var defaultScheme: Scheme?
    var pathAsIs = false
    var asksServer = false

    static let title = "Request"
    static let options: [CommandOption<Self>] = [
        .flag("json", letter: "j", "Send items as a JSON object (the default), and ask for JSON.") {
            $0.json = true
        },
        .flag("form", letter: "f", "Send items as a form; with files, as multipart/form-data.") { $0.form = true },
        .flag("multipart", "Send items as multipart/form-data, even without files.") { $0.multipart = true },
        .value(
            "boundary", "text", "The boundary between the parts of multipart/form-data; random by default."
        ) { $0.boundary = $1 },
        .value(
            "part-type", "name=type",
            "The media type of a text in multipart/form-data, such as meta=application/json. May be repeated.",
            reading: partType
        ) { $0.partTypes.append($1) },
        .value("raw", "text|@file|@-", isAnyWord: true, "Send this body; @- is the standard input.") { $0.raw = $1 },
        .flag(
            "compress", letter: "x",
            "Compress the body if that makes it smaller, with gzip or the coding of a Content-Encoding item; -xx: always."
        ) { $0.compress += 1 },
        .flag(
            "chunked", "Send the body chunked, without its length; standard input as it arrives."
        ) { $0.chunked = true },
        .flag("ignore-stdin", letter: "I", "Never read the standard input, and ask for no password.") {
            $0.ignoreStdin = true
        },
        .flag("offline", "Print the request (--print=HB by default) and send nothing.") {
            $0.offline = true
        },
        .choice(
            "as", of: RequestLanguage.self,
            "Print the request in this language, with its secrets, and send nothing."
        ) { $0.language = $1 },
        .choice(
            "default-scheme", of: Scheme.self,
            "The scheme of URLs without one; by default http for localhost and IP addresses, else https."
        ) { $0.defaultScheme = $1 },
        .flag("path-as-is", "Send /../ and /./ in the URL's path unchanged; by default they are resolved.") {
            $0.pathAsIs = true
        },
        .value(
            "request-target", "*", completion: .words(["*"]), "With OPTIONS, ask about the server as a whole.",
            reading: isServer
        ) { $0.asksServer = $1 },
    ]

    var format: RequestContent.Format { multipart ? .multipart : form ? .form : json ? .json : .automatic }

    private static func partType(_ text: String) throws(UsageProblem) -> (name: String, type: String) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw UsageProblem("“\(text)” is not written name=type, such as meta=application/json.")
        }
        let type = String(text[text.index(after: equals)...])
        return (String(text[..<equals]), try FilePart.checked(type, in: text))
    }

    private static func isServer(_ text: String) throws(UsageProblem) -> Bool {
        guard text == "*" else {
            throw UsageProblem("only * can be given; any other target is in the URL, see --path-as-is.")
        }
        return true
    }

    func validate() throws(UsageProblem) {
        if form || multipart, json {
            throw UsageProblem("\(form ? "--form" : "--multipart") and --json exclude each other.")
        }
        if multipart, raw != nil {
            throw UsageProblem("--multipart sends items, and --raw a whole body: give only one of them.")
        }
        if ignoreStdin, raw == "@-" {
            throw UsageProblem("--raw @- reads the standard input, and --ignore-stdin forbids that.")
        }
        if let boundary, !MultipartFraming.isBoundary(boundary) {
            throw UsageProblem(
                "--boundary is 1 to 70 letters, digits, spaces and '()+_,-./:=? without a space at its end.")
        }
    }
}
