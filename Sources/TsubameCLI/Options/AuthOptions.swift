// AuthOptions: the options about who asks.
#if Tool
import Tsubame

struct AuthOptions: Options {
    var auth: String?
    var authType: Credentials.Kind?
    var ignoreNetrc = false

    static let title = "Credentials"
    static let options: [CommandOption<Self>] = [
        .value(
            "auth", letter: "a", "user[:password]|token", isAnyWord: true,
            "Credentials for the URL's own origin; a missing password is asked for. They count instead of those in "
                + "the URL."
        ) { $0.auth = $1 },
        .choice(
            "auth-type", letter: "A", of: Credentials.Kind.self,
            "How they are sent: at once, or when Digest is asked for. basic unless given."
        ) { $0.authType = $1 },
        .flag("ignore-netrc", "Do not look for credentials in $NETRC or ~/.netrc.") { $0.ignoreNetrc = true },
    ]
}

#endif
