// Manual: the texts about requests that `--help` and the manual page show beside the options.

/// A titled part of the manual.
struct Manual: Sendable {
    let title: String
    var paragraphs: [String] = []
    /// Terms as the user writes them, and their meanings.
    var entries: [(term: String, text: String)] = []

    static let words = Manual(
        title: "Words",
        paragraphs: [
            "METHOD is any method; the default is GET, or POST with a body. URL may be as short as :3000/path "
                + "(localhost). Without a scheme, http is used for localhost and IP addresses, https for every other host. A "
                + "host that is named like a command is written with its scheme: http://cache/."
        ])

    static let items = Manual(
        title: "Items",
        paragraphs: [
            "With :@ ==@ =@ :=@ the value comes from a file, which may be ~/…; a backslash before : ; = @ makes it an "
                + "ordinary character. a[b]=x a[c][]=y a[c][]:=1 nest JSON, []=x makes the body an array; \\[ and \\1 are "
                + "ordinary."
        ],
        entries: [
            ("Name:value", "a field; Name: leaves it out, Name; sends it empty"),
            ("name==value", "a query parameter"),
            ("name=text", "text in a JSON object, or in a form (--form)"),
            ("name:=json", "a JSON value"),
            ("name@file", "a file in a form (--form); also name@file;type=image/png;filename=a.png"),
            ("@file", "a file as the body; @file;type=image/png gives its type"),
        ])

    static let input = Manual(
        title: "Standard input",
        paragraphs: [
            "A file or a pipe on the standard input is the body, and makes the method POST; with another method than POST, "
                + "PUT, PATCH and QUERY, and with --download, a pipe is not. It cannot be combined with items that form a "
                + "body. Other data is ignored with a warning. --raw @- always reads it, --ignore-stdin never."
        ])

    static let output = Manual(
        title: "Output",
        paragraphs: [
            "On a terminal, formatted and coloured (see NO_COLOR, COLORFGBG and TERM), with a guess at the charset of a text "
                + "that names none; redirected, as received. "
                + "--timings draws a waterfall."
        ])

    static let defaults = Manual(
        title: "Default options",
        paragraphs: [
            "~/.config/tsubame/config holds default options, one a line (--timeout 30). --no-OPTION takes one back, "
                + "--ignore-config all. A wrong line is reported; about connections, TLS or credentials, it ends the tool."
        ])

    static let exitStatus = Manual(
        title: "Exit status",
        paragraphs: [
            "0 success, 1 failure, 2 timeout, 3 status 3xx, 4 status 4xx, 5 status 5xx or above, 6 too many redirects, 64 wrong "
                + "usage, 130 interrupted. An interrupted bench that had answers gives 0. With --no-check-status, every HTTP status gives 0."
        ])

    /// - Parameter command: the name of a command.
    static func exitStatus(of command: String) -> Manual {
        let text: String
        switch command {
        case "", UploadCommand.name, CurlCommand.name: return exitStatus
        case CacheCommand.name:
            text =
                "0 success, 1 failure, or nothing was found; 2 the request of --why had no answer in time; 64 wrong usage; "
                + "130 interrupted."
        case RunCommand.name:
            text =
                "0 all checks hold, 1 a check failed or a request had no response, 64 a mistake in a file or in the arguments, "
                + "130 interrupted."
        case BenchCommand.name:
            text =
                "0 there was an answer, with any status, also if the load was interrupted; 1 there was none, or the server does "
                + "not speak HTTP/2; 2 there was none because of timeouts; 64 wrong usage; 130 interrupted before an answer."
        case WatchCommand.name:
            text =
                "0 the answer changed, be it to another status or to a failure; 2 it stayed the same until --checks or "
                + "--duration ended; 1 no request had an answer (2 if each timed out); 64 wrong usage; 130 interrupted."
        default: text = "0 success, 1 failure, 64 wrong usage, 130 interrupted."
        }
        return Manual(title: "Exit status", paragraphs: [text])
    }

    static let examples = Manual(
        title: "Examples",
        entries: [
            ("tsubame api.example.com/users page==2", "Get JSON, indented and coloured"),
            (
                "tsubame PUT :3000/users/7 name=swallow age:=3 address[city]=Kyoto",
                "Send JSON, with a number and a nested name"
            ),
            ("tsubame --form :3000/upload note=hello photo@swallow.jpg", "Send a form with a file"),
            ("date | tsubame :3000/log", "Send the output of another program"),
            (
                "tsubame -F --session=work :3000/login user=me password=secret",
                "Follow redirects and keep the login"
            ),
            ("tsubame --timings https://example.com/", "Show where the time goes"),
            ("tsubame -d https://example.com/swallow.jpg", "Save to a file"),
            ("tsubame --offline :3000/users name=swallow", "Show the request without sending it"),
        ])

    static let files = Manual(
        title: "Files",
        entries: [
            (
                "$XDG_CONFIG_HOME/tsubame/config",
                "Default options of requests; without that variable ~/.config/tsubame/config."
            ),
            ("$XDG_CONFIG_HOME/tsubame/sessions/HOST/NAME.json", "The data of --session=NAME for a host."),
            ("$XDG_CACHE_HOME/tsubame/responses/", "The cache of --cache; without that variable below ~/.cache."),
            (
                "$XDG_STATE_HOME/tsubame/uploads/",
                "Where tsubame upload -c continues; without that variable below ~/.local/state."
            ),
            ("~/.netrc, ~/_netrc", "Users and passwords of hosts; NETRC names another file."),
        ])

    static let environment = Manual(
        title: "Environment",
        entries: [
            ("http_proxy, https_proxy, all_proxy, no_proxy", "Proxies, and hosts to reach without a proxy."),
            ("NO_COLOR", "If set, no colours."),
            ("COLORFGBG", "Whether the terminal is dark or light, for --style=auto."),
            ("NETRC, XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME", "See FILES."),
        ])
}
