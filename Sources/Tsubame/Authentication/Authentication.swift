// Authentication: which credentials a client has.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubameWire

/// The credentials that a client sends to its own origin; never to another, unless `allowedOrigins` names it. A client
/// without a base URL has no origin of its own: it sends them to whatever URL it is given, and to no other origin that a
/// redirect leads to.
///
/// ```swift
/// $0.authentication = .digest(user: "viewer", password: password)
/// $0.authentication = .token { client in
///     let answer = try await client.post("oauth/token", form: ["refresh_token": stored]).json(Answer.self)
///     return AccessToken(answer.accessToken, expiresIn: .seconds(answer.expiresIn))
/// }
/// ```
/// A `user:password@` in a URL comes first, and is for that URL's origin only: it is sent as Basic at once, and answers a
/// Digest challenge. A request that has an Authorization field set by hand keeps it. What was decided of a 401 is told by
/// ``CallEvent/Kind/resending(_:why:after:)`` and ``CallEvent/Kind/decision(_:)``.
///
/// Name, password and token must not hold control characters (RFC 7617 section 2): calls that would send them fail with
/// ``CallError/Kind/invalidRequest``, before anything is sent.
public struct Authentication: Sendable {
    enum Method: Sendable {
        case none
        /// The value of Authorization, or why it must not be sent.
        case field(String, problem: String?)
        case digest(DigestSession.User)
        case netrc(NetrcFile)
        case token(TokenAuthenticator)
    }

    let method: Method

    private init(_ method: Method) { self.method = method }

    /// The field of a token that does not use Authorization.
    var ownField: HTTPField.Name? {
        if case .token(let tokens) = method, tokens.field != .authorization { tokens.field } else { nil }
    }

    /// Names of fields that no text shows, beside those that none ever does.
    var secretFields: Set<String> { ownField.map { [$0.canonicalName] } ?? [] }

    /// None. A `user:password@` in a URL is still sent, to that URL's origin only.
    public static let none = Authentication(.none)

    /// `Authorization: Basic` (RFC 7617), in UTF-8, sent at once rather than after a challenge. Without TLS everybody on
    /// the way can read the password.
    public static func basic(user: String, password: String) -> Authentication {
        let field = BasicField(user: user, password: password, of: "authentication's name or password")
        return Authentication(.field(field.value, problem: field.problem))
    }

    /// `Authorization: Bearer` (RFC 6750), the same token for ever; see ``token(_:refresh:)`` for one that changes.
    public static func bearer(_ token: String) -> Authentication {
        Authentication(
            .field(
                "Bearer " + token,
                problem: token.holdsControlCharacter ? "the bearer token holds a control character" : nil))
    }

    /// `Authorization: Digest` (RFC 7616, RFC 2069), once the server has asked for it; from then on at once, wherever the
    /// server's challenge holds.
    ///
    /// Of several challenges the strongest is answered: SHA-512, SHA-512-256, SHA-256, MD5, each also as `-sess`, with
    /// `auth` where it is offered and `auth-int` otherwise, for bodies whose bytes are known. A challenge is answered
    /// once, and once more if the server says that only its nonce was too old. A server that offers Basic only gets no
    /// answer. What is known of an origin is shared by the client's views.
    ///
    /// As long as no challenge is known for a request, a body of more than 64 KiB, or of unknown length, goes with
    /// `Expect: 100-continue` (RFC 9110 section 10.1.1): the server can ask before the body is sent.
    public static func digest(user: String, password: String) -> Authentication {
        Authentication(.digest(DigestSession.User(name: user, password: password)))
    }

    /// What a netrc file says of each host: sent as Basic at once, and answers a Digest challenge. The file is read here
    /// and now; one that cannot be understood fails every call (``CallError/Kind/file``, with the ``NetrcError`` that
    /// names the line). It holds for hosts of any port and scheme.
    /// - Parameter path: of the file; without it `$NETRC`, or `~/.netrc`, which need not be there.
    public static func netrc(_ path: String? = nil) -> Authentication {
        Authentication(.netrc(NetrcFile(path)))
    }

    /// A token from a source, which is asked when there is none, when it is about to expire, and when a server answers
    /// 401: once, however many calls want one; each then goes on, or is repeated once. See ``TokenAuthenticator``.
    /// - Parameters:
    ///   - initial: a token that is there already.
    ///   - refresh: gets a new one. The client that it is given is this one without authentication.
    public static func token(
        _ initial: AccessToken? = nil, refresh: @escaping @Sendable (Client) async throws -> AccessToken
    ) -> Authentication {
        token(TokenAuthenticator(initial, refresh: refresh))
    }

    /// The same by an object that can be kept, and shared by clients.
    public static func token(_ authenticator: TokenAuthenticator) -> Authentication {
        Authentication(.token(authenticator))
    }
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { if case .none = method { "none" } else { Redaction.placeholder } }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["authentication": description]) }
}

/// `Basic` and what follows it.
struct BasicField {
    let value: String
    /// Why it must not be sent.
    let problem: String?

    /// - Parameter what: where name and password come from.
    init(user: String, password: String, of what: String) {
        let pair = "\(user):\(password)"
        value = "Basic " + Data(pair.utf8).base64EncodedString()
        problem = pair.holdsControlCharacter ? "the \(what) holds a control character" : nil
    }
}
