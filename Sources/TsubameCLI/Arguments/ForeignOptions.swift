// ForeignOptions: maps options of curl and HTTPie to what tsubame has for the same purpose.

enum ForeignOptions {
    /// The replacement for an option of curl or HTTPie; nil if neither program has the option, or if tsubame has the
    /// same one.
    /// - Parameter name: the option without its hyphens.
    static func hint(_ name: some StringProtocol) -> String? {
        switch name {
        case "k", "insecure", "no-verify", "no-check-certificate": "--verify no trusts every certificate"
        case "L", "location": "-F follows redirects"
        case "X", "request": "the method goes before the URL"
        case "H", "header": "write a field as Name:value after the URL"
        case "data", "data-raw", "data-binary", "data-urlencode": "items are data, and --raw is a whole body"
        case "form-string": "--form sends items as a form"
        case "i", "include", "head": "--print=hb also prints the head"
        case "u", "user": "-a user:password gives credentials"
        case "G", "get", "url-query": "name==value is a query parameter"
        case "cookie": "--cookie-jar keeps cookies, and Cookie:name=value sends one"
        case "e", "referer": "Referer:… is a field"
        case "user-agent": "User-Agent:… is a field"
        case "O", "remote-name", "J", "remote-header-name": "-d saves to a file"
        case "C", "continue-at", "resume": "--continue, or -c, resumes a --download"
        case "proxy-user": "--proxy takes user:password@ in its URL"
        case "max-time": "--timeout limits the whole call"
        case "E", "key": "--cert and --cert-key give the client's certificate"
        case "tlsv1.2", "tlsv1.3": "--tls-min and --tls-max limit the TLS version"
        case "http1.0", "http1.1", "http2", "http3": "--http-version takes 1.1, 2 or 2-prior-knowledge"
        case "V": "--version prints the version"
        case "trace", "trace-ascii", "include-headers": "-vv prints everything"
        case "print-body": "-b prints only the body"
        case "silent": "-q prints nothing"
        default: nil
        }
    }
}
