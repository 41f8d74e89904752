// RequestGuard: decides which requests the inspector answers.

#if Inspector
import HTTPTypes

/// The inspector shows secrets of a process to a browser, in which pages of strangers run. So a request needs the token of this
/// start, a Host that names this server (against DNS rebinding), and no foreign Origin. A request that acts needs a field that no
/// form and no foreign script can send.
struct RequestGuard: Sendable {
    enum Verdict: Sendable, Hashable {
        case allowed
        /// The page, with the token in the URL: the response moves the token into a cookie.
        case allowedWithToken
        case refused(String)
    }

    /// The field of requests that act.
    static let actionField = "X-Tsubame-Inspector"

    let token: String
    /// The names of the server, each with its port, such as `127.0.0.1:40123`.
    let authorities: Set<String>
    let port: Int

    init(token: String, hosts: [String], port: Int) {
        self.token = token
        self.port = port
        // Browsers leave out the port of the scheme.
        authorities = Set(hosts.map { "\($0):\(port)" } + (port == 80 ? hosts : []))
    }

    /// Cookies are shared between ports, so the name holds the port.
    var cookieName: String { "tsubame-inspector-\(port)" }

    func judge(_ request: HTTPRequest) -> Verdict {
        guard let authority = request.authority, authorities.contains(authority.lowercased()) else {
            return .refused("the Host does not name this inspector")
        }
        let fields = request.headerFields
        if let origin = fields[.origin], origin.lowercased() != "http://\(authority.lowercased())" {
            return .refused("the Origin is another page")
        }
        let path = request.path ?? "/"
        let isReading = request.method == .get || request.method == .head
        // The URL may have been clicked in another page, such as a terminal in the browser.
        if isReading, path.hasPrefix("/?token="), isToken(path.dropFirst(8)) { return .allowedWithToken }
        if let site = fields[named: "Sec-Fetch-Site"], site != "same-origin", site != "none" {
            return .refused("the request comes from another page")
        }
        if !isReading, fields[named: Self.actionField] != "1" {
            return .refused("the field \(Self.actionField) is missing")
        }
        for field in fields[values: .cookie] {
            for cookie in field.split(separator: ";") {
                let cookie = cookie.drop { $0 == " " }
                if cookie.hasPrefix("\(cookieName)="), isToken(cookie.dropFirst(cookieName.count + 1)) {
                    return .allowed
                }
            }
        }
        return .refused("the token is missing or of an earlier start: open the URL that the program printed")
    }

    /// The comparison takes as long for any text of the same length.
    private func isToken(_ text: Substring) -> Bool {
        let (left, right) = (Array(text.utf8), Array(token.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The fields of every response: nothing is cached, framed, sniffed or loaded from elsewhere.
    static let fields: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"),
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
}

extension HTTPFields {
    subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set { if let name = HTTPField.Name(name) { self[name] = newValue } }
    }
}
#endif
