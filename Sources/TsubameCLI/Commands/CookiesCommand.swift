// CookiesCommand: `tsubame cookies [URL]`, which lists or removes the cookies that the tool keeps.

import Tsubame
import TsubamePlatform
import TsubameTerminal

struct CookiesCommand: ToolCommand {
    static let name = "cookies"
    static let abstract = "List the cookies of sessions or of a cookie jar, or remove them."
    static let usage = ["[OPTION …] [URL]"]
    static let takesWords = true
    static let table = OptionTable<Self>(
        OptionGroup(
            "Options",
            [
                .value("cookie-jar", "file", completion: .file, "The cookies of this file, in Netscape format.") {
                    $0.jar = $1
                },
                .value(
                    "session", "name|file", completion: .file,
                    "The cookies of the sessions of this name, or of a session file. Default: all sessions."
                ) { $0.session = $1 },
                .flag("values", "Also show the values, which may be secrets.") { $0.showsValues = true },
                .flag("clear", "Remove the cookies that would be listed.") { $0.clears = true },
                .help,
            ]))

    var words: [String] = []
    private var jar: String?
    private var session: String?
    private var showsValues = false
    private var clears = false

    func validate() throws(UsageProblem) {
        if words.count > 1 {
            throw UsageProblem("“\(words[1])” is one word too many: tsubame cookies takes one URL.")
        }
        if jar != nil, session != nil { throw UsageProblem("--cookie-jar and --session exclude each other.") }
    }

    func run() throws -> ExitStatus {
        let url = try words.first.map { word throws(UsageProblem) in
            try URLShorthand.expand(word, defaultScheme: nil)
        }
        var count = 0
        if let jar {
            guard access(HomePath.expand(jar), F_OK) == 0 else {
                throw SystemError("the cookie jar \(jar) cannot be read", code: ENOENT)
            }
            let cookies = try CookieJar(file: HomePath.expand(jar)) { Diagnostics.say("\(jar): \($0)") }
            count += try list(cookies, of: jar, for: url)
            if let failure = cookies.failure { throw failure }
        } else {
            for (file, host) in try sessions() {
                guard var kept = try file.load(host: Origin("http://\(host)")?.host ?? host) else { continue }
                let cookies = CookieJar()
                for cookie in kept.cookies { try cookies.set(cookie) }
                let found = try list(cookies, of: file.path, for: url)
                count += found
                guard clears, found > 0 else { continue }
                kept.cookies = cookies.cookies
                try file.save(kept)
            }
        }
        if count == 0 { Diagnostics.say("there is no such cookie") }
        return count > 0 ? .ok : .failure
    }

    private func sessions() throws -> [(file: SessionFile, host: String)] {
        guard let session else { return try SessionFile.named }
        guard session.contains("/") || session.hasSuffix(".json") else {
            return try SessionFile.named.filter { $0.file.path.hasSuffix("/\(session).json") }
        }
        let file = try SessionFile(session, host: "")
        guard access(file.path, F_OK) == 0 else {
            throw SystemError("the session file \(session) cannot be read", code: ENOENT)
        }
        return [(file, "")]
    }

    /// Prints the cookies, and removes them if that is asked for.
    /// - Parameter url: leaves out cookies that are not sent to this URL; nil for all.
    /// - Returns: the number of cookies.
    private func list(_ jar: CookieJar, of place: String, for url: String?) throws -> Int {
        let chosen = try url.map { try jar.cookies(for: $0) } ?? jar.cookies
        guard !chosen.isEmpty else { return 0 }
        var text = "\(clears ? "removed from " : "")\(place):\n"
        for cookie in chosen {
            var line = cookie.description
            if showsValues { line = "\(cookie.name)=\(cookie.value)" + line.dropFirst(cookie.name.count + 2) }
            text += "  \(Canvas.visible(line))\n"
        }
        if clears { for cookie in chosen { _ = try jar.delete(cookie) } }
        try Descriptor.output.writeAll(text)
        return chosen.count
    }
}
