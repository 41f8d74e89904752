// FlagNames: replaces the library's settings in error texts by the tool's flags.

import Tsubame

enum FlagNames {
    /// Longer names come first: no name is part of an earlier one.
    private static let flags: [(setting: String, flag: String)] = [
        (
            "the certificate and the private key of connection.tls.identity",
            "the certificate of --cert and its private key"
        ),
        ("give it as connection.tls.roots", "trust it by --cacert FILE"),
        ("give it as connection.proxyTLS.roots", "add it to the certificates that the system trusts"),
        ("give it one as connection.tls.identity", "give it one by --cert"),
        ("connection.tls.minimumVersion and maximumVersion", "--tls-min and --tls-max"),
        ("connection.tls.minimumVersion", "--tls-min"), ("connection.tls.maximumVersion", "--tls-max"),
        ("give connection.tls.roots", "give --cacert"), ("connection.tls.roots", "--cacert"),
        ("the private key of connection.tls.identity", "the private key of --cert-key"),
        ("connection.tls.identity", "--cert"),
        ("connection.tls.cipherSuites", "--ciphers"),
        ("; connection.tls.minimumRSABits allows shorter ones", ""),
        ("connection.unixSocket", "--unix-socket"), ("connection.interface", "--interface"),
        ("unasked (connection.httpVersion)", "unasked: --http-version 2-prior-knowledge"),
        ("leave connection.httpVersion as it is by default", "leave --http-version out"),
        ("set connection.httpVersion to .http11 for this server", "try --http-version 1.1"),
        ("set connection.httpVersion to .http2", "try --http-version 2-prior-knowledge"),
        ("connection.addressFamily allows no other", "-4 and -6 allow no other"),
        ("the client's proxy", "--proxy"), ("connection.resolve[", "--resolve["),
        ("the next download that resumes continues after them", "the same command goes on from there"),
        (
            "; a later upload of the file can continue",
            ": with -c, the same command asks the server again, and sends the rest"
        ),
        ("a download that does not resume fetches it again", "without -c it is fetched anew"),
        ("limits.exchanges", "--max-redirects and --retry"), ("limits.headFields", "--max-headers"),
    ]

    private static let timeouts: [Timeouts.Name: String] = [
        .total: "--timeout", .connect: "--connect-timeout", .tls: "--tls-timeout", .head: "--head-timeout",
        .pool: "--pool-timeout", .idle: "--idle-timeout",
    ]

    /// The text of an error, with the flags that the user knows.
    static func text(of error: CallError) -> String {
        var text = error.description
        // A URL or a server's text may contain anything, so only the library's own text is translated.
        if let advice = error.advice, let range = text.lastRange(of: advice) {
            text.replaceSubrange(range, with: translated(advice))
        }
        if let timeout = error.timeout, let flag = timeouts[timeout],
            let range = text.lastRange(of: "(timeouts.\(timeout.rawValue))")
        {
            text.replaceSubrange(range, with: "(\(flag))")
        }
        if let range = text.firstRange(of: error.reason) {
            text.replaceSubrange(range, with: translated(error.reason))
        }
        if let hint = hint(for: error) { text += "\n  \(hint)" }
        return text
    }

    /// Advice that the library cannot give, because it knows neither the flags nor the user's intention.
    private static func hint(for error: CallError) -> String? {
        switch error.kind {
        case .emptyReply where error.request?.uri?.isSecure == false:
            "a TLS server ends plain HTTP like this: if this is the port of one, try https://"
        case .redirect where error.reason.hasPrefix("more than "): "--max-redirects sets how many are followed"
        case .file where error.reason.hasPrefix("the netrc file "): "--ignore-netrc ignores the file"
        default: nil
        }
    }

    /// A text of the library, with the flags that the user knows.
    static func translated(_ text: String) -> String {
        var text = text
        for (setting, flag) in flags where text.contains(setting) { text = text.replacing(setting, with: flag) }
        // The other limits have no flag.
        return text.replacing(/\ \(limits\.[A-Za-z., ]+\)/, with: "")
    }
}

extension String {
    fileprivate func lastRange(of text: String) -> Range<Index>? { ranges(of: text).last }
}
