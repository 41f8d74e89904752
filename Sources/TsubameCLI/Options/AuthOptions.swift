// AuthOptions: the options about who asks.
#if Tool
import ArgumentParser
import Tsubame

struct AuthOptions: ParsableArguments {
    @Option(
        name: [.short, .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Credentials for the URL's own origin; a missing password is asked for. They count instead of those in "
                + "the URL.",
            valueName: "user[:password]|token"))
    var auth: String?

    @Option(name: [.customShort("A"), .long], help: "How they are sent: at once, or when Digest is asked for.")
    var authType: Credentials.Kind?

    @Flag(help: "Do not look for credentials in $NETRC or ~/.netrc.")
    var ignoreNetrc = false
}

#endif
