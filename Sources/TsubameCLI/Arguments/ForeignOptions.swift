// ForeignOptions: maps options of curl, HTTPie and Hurl to what tsubame has for the same purpose.

import TsubameRequestFiles

enum ForeignOptions {
    /// The replacement for an option of Hurl; nil if Hurl has no such option.
    static func hurlHint(_ name: String) -> String? {
        switch name {
        case "variable": "--var name=value sets a variable"
        case "variables-file": "--env-file takes a file with variables"
        case "secret": "a variable HURL_SECRET_name of the environment is a secret"
        case "test": "each run checks, and ends with 1 if a check fails"
        case "continue-on-error": "--keep-going, or -k, goes on after a failure"
        case "parallel": "--jobs runs files side by side"
        case "report-junit", "report-json", "report-html":
            "--report \(name.dropFirst(7))=FILE writes a report"
        case "report-tap": "--report junit=FILE writes a report for programs"
        case "glob": "name the files, or a folder"
        case "from-entry", "to-entry": "--name runs one request"
        case "very-verbose", "include": "-v names each request, and --print HBhb prints it"
        case "file-root": "an entry reads files within the folder of its file"
        case _ where FileEntry.Option.names.contains(name): "--option \(name)=VALUE sets it for each request"
        default: nil
        }
    }

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
        case "anyauth", "any-auth": "-A any answers with the method that the server asks for"
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
