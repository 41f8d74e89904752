// SessionOptions: the options about what is kept from one run to the next.
#if Tool
import ArgumentParser
import Tsubame

struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep fields, credentials and cookies under this name for the URL's host, or in a file: a path with / or "
                + ".json at its end.",
            valueName: "name|file"))
    var session: String?

    @Option(
        help: ArgumentHelp("The same, but what is there already is not changed.", valueName: "name|file"))
    var sessionReadOnly: String?

    @Option(
        help: ArgumentHelp(
            "Read cookies from this file, in Netscape's format, and keep in it what servers set.", valueName: "file"))
    var cookieJar: String?

    func validate() throws {
        if session != nil, sessionReadOnly != nil {
            throw ValidationError("--session and --session-read-only exclude each other.")
        }
        if session ?? sessionReadOnly != nil, cookieJar != nil {
            throw ValidationError("--cookie-jar and a session exclude each other: a session keeps cookies itself.")
        }
    }
}

#endif
