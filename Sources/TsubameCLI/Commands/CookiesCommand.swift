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
                    "session", "name|file", completion: .nameOrFile,
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
        if let word = words.first, ["clear", "list"].contains(word) {
            throw UsageProblem("“\(word)” is no URL: --clear removes cookies, and without it they are listed.")
        }
        if jar != nil, session != nil { throw UsageProblem("--cookie-jar and --session exclude each other.") }
    }

    func run() throws -> ExitStatus {
        let url = try words.first.map(URLShorthand.checked)
        let count: Int? = if let jar { try takeJar(jar, url) } else { try takeSessions(url) }
        guard let count else { return .failure }
        if count == 0 {
            let place = jar ?? session.map { "the session \($0)" } ?? "any session"
            Diagnostics.say("no cookie\(words.first.map { " for \(Redaction.standard.url($0))" } ?? "") in \(place)")
        }
        return count > 0 ? .ok : .failure
    }

    private func takeJar(_ path: String, _ url: String?) throws -> Int {
        guard access(HomePath.expand(path), F_OK) == 0 else {
            throw SystemError("the cookie jar \(path) cannot be read", code: ENOENT)
        }
        let cookies = try CookieJar(file: HomePath.expand(path)) { Diagnostics.say("\(path): \($0)") }
        let chosen = try take(cookies, for: url)
        if let failure = cookies.failure { throw failure }
        try show(chosen, of: path)
        return chosen.count
    }

    /// A session file that cannot be used is reported, and the others are shown.
    /// - Returns: nil if nothing was found, and a file could not be used.
    private func takeSessions(_ url: String?) throws -> Int? {
        var count = 0
        var hasFailed = false
        let target = try url.map { url throws(CallError) in try TargetURI(parsing: url) }
        for (file, folder) in try sessions() {
            // A session is for one host and port.
            if let target, !folder.isEmpty, folder != target.authority { continue }
            do {
                let own = folder.isEmpty ? target?.host ?? "" : Origin("http://\(folder)")?.host ?? folder
                guard let kept = try file.load(host: own) else { continue }
                let cookies = CookieJar()
                // HTTPie keeps a cookie without a domain for the host of the next request.
                let unbound = own.isEmpty ? kept.cookies.filter(\.domain.isEmpty) : []
                for cookie in kept.cookies where !(own.isEmpty && cookie.domain.isEmpty) { try cookies.set(cookie) }
                let chosen = try take(cookies, for: url) + unbound
                if clears, !chosen.isEmpty {
                    try file.update(host: own) { present in
                        var session = present ?? kept
                        session.take(cookiesOf: cookies, since: kept)
                        return session
                    }
                }
                try show(chosen, of: file.path)
                count += chosen.count
            } catch let error as CallError {
                hasFailed = true
                Diagnostics.say("\(file.path): \(error.reason)")
            } catch let error as SystemError where !error.isBrokenPipe {
                hasFailed = true
                Diagnostics.say(error)
            }
        }
        return hasFailed && count == 0 ? nil : count
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

    /// The cookies that are listed. They are removed from the jar if that is asked for.
    /// - Parameter url: leaves out cookies that are not sent to this URL; nil for all.
    private func take(_ jar: CookieJar, for url: String?) throws(CallError) -> [Cookie] {
        let chosen = try url.map { url throws(CallError) in try jar.cookies(for: url) } ?? jar.cookies
        if clears { for cookie in chosen { _ = try jar.delete(cookie) } }
        return chosen
    }

    private func show(_ cookies: [Cookie], of place: String) throws {
        guard !cookies.isEmpty else { return }
        var text = "\(clears ? "removed from " : "")\(place):\n"
        for cookie in cookies {
            var line = cookie.description
            if showsValues { line = "\(cookie.name)=\(cookie.value)" + line.dropFirst(cookie.name.count + 2) }
            text += "  \(Canvas.visible(line))\n"
        }
        try Descriptor.output.writeAll(text)
    }
}
