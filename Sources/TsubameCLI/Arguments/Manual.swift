// Manual: what is said about requests beside their options, by `--help` and by the manual page.
#if Tool

/// A titled part of the manual.
struct Manual: Sendable {
    let title: String
    var paragraphs: [String] = []
    /// What is written, and what it means.
    var entries: [(term: String, text: String)] = []

    static let words = Manual(
        title: "Words",
        paragraphs: [
            "METHOD is GET, or POST when there is a body, unless given; any method may be. URL may be as short as "
                + ":3000/path (localhost); without a scheme, http is meant for localhost and IP addresses, https for "
                + "every other host."
        ])

    static let items = Manual(
        title: "Items",
        paragraphs: [
            "With :@ ==@ =@ :=@ the value comes from a file, which may be ~/…; a backslash before : ; = @ makes it an "
                + "ordinary character. a[b]=x a[c][]=y a[c][]:=1 nest JSON, []=x makes an array the body; \\[ and \\1 are "
                + "ordinary."
        ],
        entries: [
            ("Name:value", "a field; Name: goes without it, Name; sends it empty"),
            ("name==value", "a query parameter"),
            ("name=text", "text in a JSON object, or in a form (--form)"),
            ("name:=json", "any JSON"),
            ("name@file", "a file in a form (--form); name@file;type=image/png;filename=a.png tells more"),
            ("@file", "a file as the body; @file;type=image/png gives its type"),
        ])

    static let input = Manual(
        title: "The standard input",
        paragraphs: [
            "A file on the standard input is the body; a pipe only with POST, PUT, PATCH or QUERY. Data there and items that form a "
                + "body are an error. A warning tells of other data that was not sent. --raw @- reads it in any case, "
                + "--ignore-stdin never."
        ])

    static let output = Manual(
        title: "Output",
        paragraphs: [
            "On a terminal the output is formatted and coloured (NO_COLOR, COLORFGBG and TERM are heeded); redirected, it "
                + "is what was received. --timings draws a waterfall."
        ])

    static let defaults = Manual(
        title: "Default options",
        paragraphs: [
            "Default options stand in ~/.config/tsubame/config, one a line (--timeout 30); --no-OPTION takes one back, "
                + "--ignore-config all."
        ])

    static let exitStatus = Manual(
        title: "Exit status",
        paragraphs: [
            "0, or 1 failure, 2 timeout, 3 status 3xx, 4 status 4xx, 5 status 5xx, 6 too many redirects, 64 wrong usage, "
                + "130 interrupted; --no-check-status makes every status 0."
        ])

    static let examples = Manual(
        title: "Examples",
        entries: [
            ("tsubame api.example.com/users page==2", "Get JSON, indented and coloured"),
            (
                "tsubame PUT :3000/users/7 name=swallow age:=3 address[city]=Kyoto",
                "Send JSON, with a number and a nested name"
            ),
            ("tsubame --form :3000/upload note=hello photo@swallow.jpg", "Send a form with a file"),
            ("date | tsubame POST :3000/log", "Send what another program writes"),
            (
                "tsubame -F --session=work :3000/login user=me password=secret",
                "Follow redirects, and keep the login for later"
            ),
            ("tsubame --timings https://example.com/", "See where the time goes"),
            ("tsubame -d https://example.com/swallow.jpg", "Save to a file"),
            ("tsubame --offline :3000/users name=swallow", "Look at what would be sent"),
        ])

    static let files = Manual(
        title: "Files",
        entries: [
            (
                "$XDG_CONFIG_HOME/tsubame/config",
                "Default options of requests, as they are typed; without that variable ~/.config/tsubame/config."
            ),
            ("$XDG_CONFIG_HOME/tsubame/sessions/HOST/NAME.json", "What --session=NAME keeps of a host."),
            ("$XDG_CACHE_HOME/tsubame/responses/", "What --cache keeps; without that variable below ~/.cache."),
            ("~/.netrc", "Users and passwords of hosts; NETRC names another file."),
        ])

    static let environment = Manual(
        title: "Environment",
        entries: [
            ("http_proxy, https_proxy, all_proxy, no_proxy", "Proxies, and hosts that are reached without one."),
            ("NO_COLOR", "No colours, whatever the terminal can."),
            ("COLORFGBG", "Whether the terminal is dark or light, for --style=auto."),
            ("NETRC, XDG_CONFIG_HOME, XDG_CACHE_HOME", "See the files."),
        ])
}

#endif
