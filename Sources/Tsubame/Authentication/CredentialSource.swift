// CredentialSource: what a request can go with, by where it goes and what the client was told.

import TsubameCore
import TsubameWire

enum CredentialSource {
    case nothing
    /// The value of Authorization, or why it must not be sent.
    case field(String, problem: String?)
    case user(NamedUser)
    case token(TokenAuthenticator)

    /// A user, and what may be done with his password.
    struct NamedUser {
        let user: DigestSession.User
        /// Whether the password may go out as it is.
        let allowsBasic: Bool
        /// Where it comes from, for texts.
        let place: String
    }

    /// - Parameter isAnswer: whether the request's credentials are not the caller's own, but answer a challenge.
    /// - Throws: what is wrong with a netrc file.
    init(
        _ method: Authentication.Method, for request: borrowing Request, isAnswer: Bool = false
    ) throws(CallError) {
        self = .nothing
        // A field of its own says nothing about Authorization, and the reverse.
        if case .token(let authenticator) = method, authenticator.field != .authorization {
            self = Self.token(of: authenticator, for: request, isAnswer: isAnswer)
            return
        }
        guard let uri = request.uri, isAnswer || !request.headers.contains(.authorization) else { return }
        if let userinfo = uri.userinfo {
            let user = try Self.user(userinfo, of: uri.host, request.isForeign ? .none : method)
            self = .user(NamedUser(user: user, allowsBasic: true, place: "userinfo of the URL"))
            return
        }
        if request.isForeign { return }
        switch method {
        case .none: return
        case .field(let value, let problem): self = .field(value, problem: problem)
        case .digest(let user):
            self = .user(NamedUser(user: user, allowsBasic: false, place: "authentication's name"))
        case .netrc(let file):
            guard let user = try file.user(of: uri.host) else { return }
            self = .user(NamedUser(user: user, allowsBasic: true, place: "netrc file's name or password"))
        case .token(let authenticator):
            self = Self.token(of: authenticator, for: request, isAnswer: isAnswer)
        }
    }

    private static func token(
        of authenticator: TokenAuthenticator, for request: borrowing Request, isAnswer: Bool
    ) -> CredentialSource {
        // The calls of a token source cannot wait for the token.
        guard !request.isForeign, !authenticator.isFetchingHere,
            isAnswer || !request.headers.contains(authenticator.field)
        else { return .nothing }
        return .token(authenticator)
    }

    /// The userinfo of a URL; a name without a password has that of the netrc file, if there is one.
    private static func user(
        _ userinfo: String, of host: String, _ method: Authentication.Method
    ) throws(CallError) -> DigestSession.User {
        let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { PercentEncoding.decodeLeniently(String($0)) }
        let name = parts.first ?? ""
        if parts.count > 1 { return DigestSession.User(name: name, password: parts[1]) }
        if case .netrc(let file) = method, let user = try file.user(of: host, login: name) { return user }
        return DigestSession.User(name: name, password: "")
    }
}
