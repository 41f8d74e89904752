// CurlOption: the options of curl, and their meaning for this tool.

/// The meaning of an option of curl.
enum CurlOption {
    /// A flag that becomes words of the tool's command line.
    case flag([String])
    /// An option whose value follows a word of the tool, such as `--cacert=`.
    case value(String)
    /// A flag or an option without a meaning for one request, such as `--silent`.
    case ignored, ignoredValue
    /// An option that the request cannot do without, and that the tool does not have.
    case refused(String)
    /// The same, with a value.
    case refusedValue(String)
    /// An option that ``CurlLine`` reads by itself; with or without a value.
    case special(hasValue: Bool)

    var hasValue: Bool {
        switch self {
        case .value, .ignoredValue, .refusedValue, .special(true): true
        case .flag, .ignored, .refused, .special(false): false
        }
    }

    /// The long name of a letter.
    static let letters: [Character: String] = [
        "#": "progress-bar", "0": "http1.0", "1": "tlsv1", "4": "ipv4", "6": "ipv6", "A": "user-agent", "b": "cookie",
        "c": "cookie-jar", "C": "continue-at", "d": "data", "D": "dump-header", "e": "referer", "E": "cert",
        "f": "fail",
        "F": "form", "g": "globoff", "G": "get", "H": "header", "i": "include", "I": "head", "J": "remote-header-name",
        "k": "insecure", "K": "config", "L": "location", "m": "max-time", "M": "manual", "n": "netrc", "N": "no-buffer",
        "o": "output", "O": "remote-name", "p": "proxytunnel", "q": "disable", "r": "range", "R": "remote-time",
        "s": "silent", "S": "show-error", "T": "upload-file", "u": "user", "U": "proxy-user", "v": "verbose",
        "V": "version", "w": "write-out", "x": "proxy", "X": "request", "y": "speed-time", "Y": "speed-limit",
        "z": "time-cond", "Z": "parallel", ":": "next",
    ]

    /// The options by their long names.
    static let named: [String: CurlOption] = {
        var table: [String: CurlOption] = [
            "anyauth": .flag(["--auth-type=any"]), "basic": .flag(["--auth-type=basic"]),
            "digest": .flag(["--auth-type=digest"]), "proxy-digest": .flag(["--proxy-auth-type=digest"]),
            "proxy-basic": .flag(["--proxy-auth-type=basic"]),
            "insecure": .flag(["--verify=no"]), "location": .flag(["--follow"]),
            "location-trusted": .refused("credentials are never sent to another origin"),
            "http1.0": .flag(["--http-version=1.0"]), "http1.1": .flag(["--http-version=1.1"]),
            "http2": .flag(["--http-version=2"]), "http2-prior-knowledge": .flag(["--http-version=2-prior-knowledge"]),
            "http3": .refused("HTTP/3 is not supported"), "http3-only": .refused("HTTP/3 is not supported"),
            "ipv4": .flag(["--ipv4"]), "ipv6": .flag(["--ipv6"]), "path-as-is": .flag(["--path-as-is"]),
            "tlsv1": .flag(["--tls-min=1.0"]), "tlsv1.0": .flag(["--tls-min=1.0"]), "tlsv1.1": .flag(["--tls-min=1.1"]),
            "tlsv1.2": .flag(["--tls-min=1.2"]), "tlsv1.3": .flag(["--tls-min=1.3"]), "tls-max": .value("--tls-max="),
            "include": .flag(["--print=hb"]), "verbose": .flag(["--verbose"]), "remote-name": .flag(["--download"]),
            "cacert": .value("--cacert="), "key": .value("--cert-key="), "pass": .value("--cert-key-pass="),
            "ciphers": .value("--ciphers="), "connect-timeout": .value("--connect-timeout="),
            "interface": .value("--interface="), "max-filesize": .value("--max-filesize="),
            "max-redirs": .special(hasValue: true), "max-time": .value("--timeout="), "noproxy": .value("--noproxy="),
            "output": .value("--output="), "resolve": .value("--resolve="), "retry": .value("--retry="),
            "unix-socket": .value("--unix-socket="), "request-target": .value("--request-target="),
            "oauth2-bearer": .special(hasValue: true),
            "aws-sigv4": .special(hasValue: true), "ntlm": .refused("NTLM is not supported"),
            "negotiate": .refused("Negotiate is not supported"), "config": .refused("files of options are not read"),
            "next": .refused("only one request can stand here"), "connect-to": .refused("give --resolve"),
            "doh-url": .refused("DNS over HTTPS is not supported"),
            "dump-header": .refused("--print=h prints the head"),
            "cookie-jar": .value("--cookie-jar="), "hsts": .refused("HSTS files are not read"),
            "alt-svc": .refused("Alt-Svc is not supported"),
            "proxy-cacert": .refused("a proxy has no own certificates"),
            "url-query": .special(hasValue: true), "time-cond": .special(hasValue: true),
        ]
        for name in [
            "netrc-file", "capath", "etag-compare", "proto", "proto-redir", "local-port", "dns-servers", "curves",
        ] {
            table[name] = .refusedValue("the request would be another one")
        }
        for name in ["crlf", "post301", "post302", "post303", "haproxy-protocol", "tr-encoding"] {
            table[name] = .refused("the request would be another one")
        }
        for name in [
            "user-agent", "cookie", "continue-at", "data", "data-raw", "data-ascii", "data-binary", "data-urlencode",
            "json", "referer",
            "form", "form-string", "header", "range", "upload-file", "user", "proxy-user", "proxy", "request", "url",
            "cert", "socks4", "socks4a", "socks5", "socks5-hostname", "preproxy",
        ] { table[name] = .special(hasValue: true) }
        for name in ["compressed", "get", "head", "globoff", "netrc", "netrc-optional"] {
            table[name] = .special(hasValue: false)
        }
        for name in [
            "progress-bar", "fail", "fail-with-body", "fail-early", "no-buffer", "buffer", "disable", "remote-time",
            "silent",
            "show-error", "no-progress-meter", "progress-meter", "parallel", "no-keepalive", "keepalive", "tcp-nodelay",
            "tcp-fastopen", "no-alpn", "alpn", "no-sessionid", "sessionid", "compressed-ssh", "raw",
            "remote-header-name",
            "create-dirs", "styled-output", "no-styled-output", "ssl-no-revoke", "ssl-reqd", "ssl", "proxytunnel",
            "no-clobber", "clobber", "retry-connrefused", "retry-all-errors", "verify-status",
            "suppress-connect-headers", "trace-time", "trace-ids", "junk-session-cookies",
        ] { table[name] = .ignored }
        for name in [
            "write-out", "speed-time", "speed-limit", "limit-rate", "keepalive-time", "expect100-timeout", "stderr",
            "trace",
            "trace-ascii", "trace-config", "retry-delay", "retry-max-time", "tls13-ciphers",
            "proto-default", "parallel-max", "happy-eyeballs-timeout-ms", "etag-save",
            "output-dir", "rate",
        ] { table[name] = .ignoredValue }
        return table
    }()
}
