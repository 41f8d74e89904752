// Credentials: a user and password, or a token, and the scheme that sends them.

import Tsubame

struct Credentials: Sendable, Hashable {
    enum Kind: String, CaseIterable {
        case basic, digest, bearer, any
    }

    let kind: Kind
    /// `user:password`, or the token.
    let text: String

    /// - Parameters:
    ///   - text: the credentials as the user gave them. If the password is missing, the user is asked for it.
    ///   - host: the host that the password is for.
    ///   - mayPrompt: whether the user may be asked.
    init(_ kind: Kind, asking text: String, of host: String, mayPrompt: Bool) throws {
        self.kind = kind
        if kind == .bearer, text.isEmpty { throw UsageProblem("The token is empty: --auth or --bearer needs one.") }
        guard kind != .bearer, !text.contains(":") else {
            self.text = text
            return
        }
        let password = try PasswordPrompt.ask(
            "password of \(text)@\(host)", instead: "write --auth user:password; without a password, user and a colon",
            mayPrompt: mayPrompt)
        self.text = "\(text):\(password)"
    }

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// The credentials of the netrc file for a host; nil if it has none. The password of an entry may be a token, which
    /// needs no login.
    init?(_ kind: Kind, netrcOf host: String) throws(CallError) {
        let entry = try Authentication.netrcEntry(of: host)
        if kind == .bearer {
            guard let token = entry?.password, !token.isEmpty else { return nil }
            self.init(kind, token)
        } else {
            guard let name = entry?.login else { return nil }
            self.init(kind, "\(name):\(entry?.password ?? "")")
        }
    }

    var authentication: Authentication {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (user, password) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        return switch kind {
        case .basic: .basic(user: user, password: password)
        case .digest: .digest(user: user, password: password)
        case .bearer: .bearer(text)
        case .any: .challenged(user: user, password: password)
        }
    }
}

extension TargetURI {
    /// `user:password` of the userinfo, without escapes.
    var credentials: String? {
        guard let userinfo else { return nil }
        let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { PercentEncoding.decodeLeniently(String($0)) }
        return "\(parts.first ?? ""):\(parts.count > 1 ? parts[1] : "")"
    }
}
