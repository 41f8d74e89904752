// Credentials: the chain step that sends credentials to the client's origin and answers its 401 responses.

import HTTPTypes
import TsubameCore
import TsubamePlatform
import TsubameWire

/// Adds credentials to requests that have none, and answers a 401 (RFC 9110 section 11.6). It answers a Digest
/// challenge, and replaces a refused token. The step ignores cross-origin requests and their responses.
final class Credentials: ChainStep {
    let kind = "follow-up"
    private let method: Authentication.Method
    private let hasNone: Bool
    /// Whether responses can change the client's credentials.
    private let isChallenged: Bool
    private let digests: DigestMemory
    private let plainClient: @Sendable () -> Client

    /// - Parameters:
    ///   - authentication: the client's credentials. Userinfo of URLs is sent too, unless a token has a field of its
    ///     own.
    ///   - digests: the Digest challenges that servers have sent.
    ///   - plainClient: makes the same client without authentication, for the token source.
    init(_ authentication: Authentication, _ digests: DigestMemory, plainClient: @escaping @Sendable () -> Client) {
        method = authentication.method
        switch method {
        case .none: (hasNone, isChallenged) = (true, false)
        case .field: (hasNone, isChallenged) = (false, false)
        case .digest, .challenged, .netrc, .token: (hasNone, isChallenged) = (false, true)
        }
        self.digests = digests
        self.plainClient = plainClient
    }

    // MARK: Out

    func stance(toward request: borrowing Request) -> Stance {
        // This is the case for most requests.
        if !isChallenged, request.uri?.userinfo == nil { return hasNone ? .absent : .passing }
        do throws(CallError) {
            switch try CredentialSource(method, for: request) {
            case .nothing: return .absent
            case .field: return .passing
            case .user: return .deciding
            case .token(let authenticator): return authenticator.usableToken == nil ? .waiting : .deciding
            }
        } catch {
            // `willSend` throws this error.
            return .passing
        }
    }

    func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request {
        guard case .token(let authenticator) = try CredentialSource(method, for: request) else { return request }
        let token = try await authenticator.newToken(plainClient, call)
        return try request.with(token, of: authenticator)
    }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {
        guard let uri = request.uri else { return }
        switch try CredentialSource(method, for: request) {
        case .nothing: return
        case .field(let value, let problem):
            if let problem { throw CallError(.invalidRequest, problem, request: request) }
            request.headers.append(HTTPField(name: .authorization, value: value))
        case .user(let named):
            if let field = digests.authorization(for: request, to: uri, by: named.user) {
                request.headers.append(HTTPField(name: .authorization, value: field))
            } else if named.basic == .atOnce
                || named.basic == .challenged && digests.wantsBasic(uri.origin, from: named.user)
            {
                let field = named.basicField
                if let problem = field.problem { throw CallError(.invalidRequest, problem, request: request) }
                request.headers.append(HTTPField(name: .authorization, value: field.value))
            } else {
                // A name that no field can carry fails the first request, before any challenge.
                guard !named.user.name.holdsControlCharacter, named.basic == .never || named.basicField.problem == nil
                else {
                    throw CallError(.invalidRequest, "the \(named.place) holds a control character", request: request)
                }
                request.holdLongBody()
            }
        case .token(let authenticator):
            guard let token = authenticator.token else { return }
            request = try request.with(token, of: authenticator)
        }
    }

    /// Renews the Digest answer of a request that is sent again after it has passed this step. A server accepts each
    /// count of a nonce once (RFC 7616 section 3.4).
    func renew(_ request: inout Request) {
        guard !digests.isEmpty, let uri = request.uri, let sent = request.headers[.authorization],
            case .user(let named)? = try? CredentialSource(method, for: request, isAnswer: true),
            let field = digests.renewed(sent, for: request, to: uri, by: named.user)
        else { return }
        request.headers[.authorization] = field
    }

    // MARK: Back

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        if response.statusCode == 401 { return true }
        return !digests.isEmpty && response.headers.contains(.authenticationInfo)
    }

    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp {
        // Another origin's response does not concern these credentials, even if an interceptor changed the request's
        // URL.
        guard let uri = hop.request.uri, response.request.uri?.origin == uri.origin,
            let source = try? CredentialSource(
                method, for: hop.request, isAnswer: hop.request.answeredChallenges > 0)
        else { return .proceed }
        switch source {
        case .nothing, .field: return .proceed
        case .user(let named):
            if response.statusCode == 401 { return answer(response, hop, uri, named) }
            return digests.take(response, at: uri, by: named.user)
                ? .proceed : .note("the server's proof (rspauth) is wrong: it does not seem to know the password")
        case .token(let authenticator):
            return response.statusCode == 401 ? repeated(response, hop, authenticator) : .proceed
        }
    }

    /// Answers a Digest challenge once, and once more if only its nonce was too old.
    private func answer(
        _ response: borrowing Response, _ hop: borrowing Hop, _ uri: TargetURI, _ named: CredentialSource.NamedUser
    ) -> FollowUp {
        let request = hop.request
        let asked = Challenge.parse(response.headers[values: .wwwAuthenticate])
        let (found, problems) = DigestChallenge.strongest(of: asked.challenges)
        guard let challenge = found else {
            let reasons = asked.problems + problems.map { "Digest cannot be answered: \($0)" }
            if !reasons.isEmpty { return .note("the 401 is given back: \(reasons.joined(separator: "; "))") }
            switch named.basic {
            // The password has been sent already.
            case .atOnce: return .proceed
            case .challenged where asked.challenges.contains { $0.scheme == "basic" }:
                return basicAnswer(response, hop, uri, named)
            case .challenged:
                return .note("the 401 is given back: the server offers neither Digest nor Basic")
            case .never:
                return .note(
                    "the 401 is given back: the server does not offer Digest, and the client uses nothing else")
            }
        }
        guard request.answeredChallenges == 0 || challenge.isStale && request.answeredChallenges < 2 else {
            digests.learn(challenge, at: uri, by: named.user)
            return .note("the 401 is given back: the server refuses the answer to its challenge")
        }
        guard request.body.isWhole else {
            // The next request can then be sent with an answer at once.
            digests.learn(challenge, at: uri, by: named.user)
            return .note("the 401 is given back: the body can be sent only once")
        }
        guard let field = digests.answer(challenge, to: request, at: uri, by: named.user) else {
            return .note("the 401 is given back: the server wants a digest of the body, whose bytes are not known")
        }
        var next = request
        next.answeredChallenges += 1
        next.headers[.authorization] = field
        let name = challenge.algorithm.function.rawValue + (challenge.algorithm.isSession ? "-sess" : "")
        let why = challenge.isStale ? "401, the nonce was too old: Digest (\(name)) again" : "401: Digest (\(name))"
        return .resend(next, after: .zero, why: ResendReason(.authentication, why))
    }

    /// Sends the password once to a server that asks for Basic and for nothing stronger.
    private func basicAnswer(
        _ response: borrowing Response, _ hop: borrowing Hop, _ uri: TargetURI, _ named: CredentialSource.NamedUser
    ) -> FollowUp {
        var next = hop.request
        if response.request.headers.contains(.authorization) {
            return .note("the 401 is given back: the server refuses user and password")
        }
        digests.learnBasic(uri.origin, from: named.user)
        guard next.body.isWhole else {
            return .note("the 401 is given back: the body can be sent only once; the next call sends the password")
        }
        next.answeredChallenges += 1
        next.headers[.authorization] = named.basicField.value
        return .resend(next, after: .zero, why: ResendReason(.authentication, "401: Basic"))
    }

    /// Repeats the request once, with another token.
    private func repeated(
        _ response: borrowing Response, _ hop: borrowing Hop, _ authenticator: TokenAuthenticator
    ) -> FollowUp {
        let request = hop.request
        guard request.answeredChallenges == 0 else {
            return .note("the 401 is given back: the new token is refused as well")
        }
        let refused = response.request.headers[authenticator.field]
        guard request.body.isWhole else {
            if let refused { authenticator.refuse(refused) }
            return .note("the 401 is given back: the body can be sent only once; the next call has a new token")
        }
        let (call, plainClient, response) = (hop.call, plainClient, copy response)
        return .resendWhen(
            { () throws(CallError) in
                do throws(CallError) {
                    let token = try await authenticator.newToken(insteadOf: refused, plainClient, call)
                    var next = try request.with(token, of: authenticator)
                    next.answeredChallenges += 1
                    return next
                } catch {
                    throw error.with(request: request, response: response)
                }
            }, why: ResendReason(.authentication, "401: another token"))
    }
}

extension Request {
    /// In bytes. Sending a shorter body costs less than waiting for `100 Continue`.
    private static let shortBody: Int64 = 64 << 10

    /// Asks the server to answer the head before a body that may be long. The server will send a challenge, so the
    /// body would otherwise be sent twice.
    fileprivate mutating func holdLongBody() {
        guard !body.isEmpty, !headers.contains(.expect) else { return }
        var length = body.length
        if case .file(let path) = body.content { length = FileStatus(of: path)?.size }
        guard length.map({ $0 > Self.shortBody }) ?? true else { return }
        headers.append(HTTPField(name: .expect, value: "100-continue"))
    }

    fileprivate func with(_ token: AccessToken, of authenticator: TokenAuthenticator) throws(CallError) -> Request {
        let value = authenticator.value(of: token)
        guard !value.holdsControlCharacter else {
            throw CallError(.invalidRequest, "the token holds a control character", request: self)
        }
        var request = self
        request.headers[authenticator.field] = value
        return request
    }
}
