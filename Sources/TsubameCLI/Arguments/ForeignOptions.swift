// ForeignOptions: what options of curl and HTTPie are called here, for whoever types them out of habit.
#if Tool

enum ForeignOptions {
    /// What to write instead of the option, without its hyphens; nil if it is of neither, or the same here.
    static func hint(_ name: some StringProtocol) -> String? {
        switch name {
        case "k", "insecure", "no-verify", "no-check-certificate": "--verify no trusts every certificate"
        case "L", "location": "-F follows redirects"
        case "X", "request": "the method stands before the URL"
        case "H", "header": "a field is written Name:value behind the URL"
        case "data", "data-raw", "data-binary", "data-urlencode": "items are data, and --raw is a whole body"
        case "form-string": "--form sends items as a form"
        case "i", "include", "head": "--print=hb prints the head, too"
        case "u", "user": "-a user:password gives credentials"
        case "G", "get", "url-query": "name==value is of the query"
        case "cookie": "--cookie-jar keeps cookies, and Cookie:name=value sends one"
        case "e", "referer": "Referer:… is a field"
        case "user-agent": "User-Agent:… is a field"
        case "O", "remote-name", "J", "remote-header-name": "-d saves to a file"
        case "C", "continue-at", "resume": "--continue, or -c, has a --download go on behind what came before"
        case "proxy-user": "--proxy takes user:password@ in its URL"
        case "max-time": "--timeout is for the whole call"
        case "E", "key": "--cert and --cert-key are the client's certificate"
        case "tlsv1.2", "tlsv1.3", "ssl": "--tls-min and --tls-max say which versions of TLS"
        case "http1.0", "http1.1", "http2", "http3": "--http-version says which: 1.1, 2 or 2-prior-knowledge"
        case "V": "--version prints the version"
        case "trace", "trace-ascii", "include-headers": "-vv prints all of it"
        case "format-options", "sorted", "unsorted": "the order is always the one that was received"
        case "print-body": "-b prints the body only"
        case "silent": "-q prints nothing"
        default: nil
        }
    }
}

#endif
