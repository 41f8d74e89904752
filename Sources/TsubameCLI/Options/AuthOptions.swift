// AuthOptions: the options about credentials.

import Tsubame

struct AuthOptions: Options {
    var auth: String?
    var authType: Credentials.Kind?
    var ignoreNetrc = false
    /// Whether the credentials are those of --bearer. Other options then replace all of them.
    private var isToken = false

    static let title = "Credentials"
    static let options: [CommandOption<Self>] = [
        .value(
            "auth", letter: "a", "user[:password]|token", isAnyWord: true,
            "Credentials for the origin of each URL of the command, instead of those in the URL; prompts for a missing password."
        ) {
            if $0.isToken { ($0.authType, $0.isToken) = (nil, false) }
            $0.auth = $1
        },
        .choice(
            "auth-type", letter: "A", of: Credentials.Kind.self,
            "The scheme; basic by default. digest and any wait for the server's challenge. Without --auth, the netrc file gives the "
                + "credentials."
        ) {
            if $0.isToken, $1 != .bearer { ($0.auth, $0.isToken) = (nil, false) }
            $0.authType = $1
        },
        .value("bearer", "token", "The same as --auth-type bearer --auth token.") {
            ($0.auth, $0.authType, $0.isToken) = ($1, .bearer, true)
        },
        .flag("ignore-netrc", "Ignore $NETRC, ~/.netrc and ~/_netrc.") { $0.ignoreNetrc = true },
    ]
}
