// SessionOptions: the options about data that is kept from one run to the next.

import Tsubame

struct SessionOptions: Options {
    var session: String?
    var sessionReadOnly: String?
    var cookieJar: String?

    static let title = "Sessions and cookies"
    static let options: [CommandOption<Self>] = [
        .value(
            "session", "name|file", completion: .nameOrFile,
            "Keep fields, credentials and cookies under this name for the URL's host, or in a file: a path with / or "
                + ".json at its end."
        ) { $0.session = $1 },
        .value(
            "session-read-only", "name|file", completion: .nameOrFile,
            "The same, but do not change existing data."
        ) { $0.sessionReadOnly = $1 },
        .value(
            "cookie-jar", "file", completion: .file,
            "Read cookies from this file, in Netscape format, and save new ones to it."
        ) { $0.cookieJar = $1 },
    ]

    func validate() throws(UsageProblem) {
        if session != nil, sessionReadOnly != nil {
            throw UsageProblem("--session and --session-read-only exclude each other.")
        }
        if session ?? sessionReadOnly != nil, cookieJar != nil {
            throw UsageProblem("--cookie-jar and a session exclude each other: a session keeps cookies itself.")
        }
    }
}
