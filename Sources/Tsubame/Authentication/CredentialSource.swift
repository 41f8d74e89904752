// CredentialSource: the credentials for one request, chosen by its URL and the client's settings.

import TsubameCore
import TsubameWire

enum CredentialSource {
    case nothing
    /// The value of Authorization, or the reason why it must not be sent.
    case field(String, problem: String?)
    case user(NamedUser)
    case token(TokenAuthenticator)

    /// When the password itself may be sent, as Basic.
    enum Basic {
        case never, atOnce
        /// After the server has asked for it.
        case challenged
    }

    /// A user, and how the password may be used.
    struct NamedUser {
        let user: DigestSession.User
        let basic: Basic
        /// Where the credentials come from, for error texts.
        let place: String

        var basicField: BasicField { BasicField(user: user.name, password: user.password, of: place) }
    }

    /// - Parameter isAnswer: whether the request's credentials answer a challenge and were not set by the caller.
    /// - Throws: the error of the netrc file.
    init(
        _ method: Authentication.Method, for request: borrowing Request, isAnswer: Bool = false
    ) throws(CallError) {
        self = .nothing
        // A token in another field is independent of Authorization.
        if case .token(let authenticator) = method, authenticator.field != .authorization {
            self = Self.token(of: authenticator, for: request, isAnswer: isAnswer)
            return
        }
        guard let uri = request.uri, isAnswer || !request.headers.contains(.authorization) else { return }
        if let userinfo = uri.userinfo {
            let user = try Self.user(userinfo, of: uri.host, request.isCrossOrigin ? .none : method)
            self = .user(NamedUser(user: user, basic: .atOnce, place: "userinfo of the URL"))
            return
        }
        if request.isCrossOrigin { return }
        switch method {
        case .none: return
        case .field(let value, let problem): self = .field(value, problem: problem)
        case .digest(let user):
            self = .user(NamedUser(user: user, basic: .never, place: "authentication's name"))
        case .challenged(let user):
            self = .user(NamedUser(user: user, basic: .challenged, place: "authentication's name or password"))
        case .netrc(let file):
            guard let user = try file.user(of: uri.host) else { return }
            self = .user(NamedUser(user: user, basic: .atOnce, place: "netrc file's name or password"))
        case .token(let authenticator):
            self = Self.token(of: authenticator, for: request, isAnswer: isAnswer)
        }
    }

    private static func token(
        of authenticator: TokenAuthenticator, for request: borrowing Request, isAnswer: Bool
    ) -> CredentialSource {
        // Calls of the token source cannot wait for the token that it fetches.
        guard !request.isCrossOrigin, !authenticator.isFetchingHere,
            isAnswer || !request.headers.contains(authenticator.field)
        else { return .nothing }
        return .token(authenticator)
    }

    /// The user of a URL. For a name without a password, the netrc file's password is used, if there is one.
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
