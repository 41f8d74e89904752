// Authentication: the credentials that a client sends, and when it sends them.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubameWire

/// The credentials that a client sends to its own origin, and to the origins in `allowedOrigins`, but to no other.
///
/// A client without a base URL has no origin of its own. It sends the credentials to the origin of each requested URL,
/// and to no other origin that a redirect leads to.
///
/// ```swift
/// $0.authentication = .digest(user: "viewer", password: password)
/// $0.authentication = .token { client in
///     let answer = try await client.post("oauth/token", form: ["refresh_token": stored]).json(Answer.self)
///     return AccessToken(answer.accessToken, expiresIn: .seconds(answer.expiresIn))
/// }
/// ```
/// A `user:password@` in a URL takes precedence, for that URL's origin only. It is sent as Basic at once, and also
/// answers a Digest challenge. Beside a ``TokenAuthenticator`` with a field other than Authorization, it is sent as well. A
/// request keeps an Authorization field that the caller has set.
/// ``CallEvent/Kind/resending(_:why:after:)`` and ``CallEvent/Kind/decision(_:)`` report how the client handles a 401.
///
/// A name, password or token must not contain control characters (RFC 7617 section 2). A call that would send one
/// fails with ``CallError/Kind/invalidRequest`` before anything is sent.
public struct Authentication: Sendable {
    enum Method: Sendable {
        case none
        /// The value of Authorization, or the reason why it must not be sent.
        case field(String, problem: String?)
        case digest(DigestSession.User)
        case challenged(DigestSession.User)
        case netrc(NetrcFile)
        case token(TokenAuthenticator)
    }

    let method: Method

    private init(_ method: Method) { self.method = method }

    /// The field of a token that is not sent in Authorization.
    var ownField: HTTPField.Name? {
        if case .token(let tokens) = method, tokens.field != .authorization { tokens.field } else { nil }
    }

    /// The names of fields that this client withholds in every text, in addition to the standard ones.
    var secretFields: Set<String> { ownField.map { [$0.canonicalName] } ?? [] }

    /// No credentials. A `user:password@` in a URL is still sent, to that URL's origin only.
    public static let none = Authentication(.none)

    /// `Authorization: Basic` (RFC 7617), in UTF-8. It is sent with the first request, without waiting for a
    /// challenge. Without TLS everyone on the network path can read the password.
    public static func basic(user: String, password: String) -> Authentication {
        let field = BasicField(user: user, password: password, of: "authentication's name or password")
        return Authentication(.field(field.value, problem: field.problem))
    }

    /// `Authorization: Bearer` (RFC 6750) with a fixed token. For a token that changes, use ``token(_:refresh:)``.
    public static func bearer(_ token: String) -> Authentication {
        Authentication(
            .field(
                "Bearer " + token,
                problem: token.holdsControlCharacter ? "the bearer token holds a control character" : nil))
    }

    /// `Authorization: Digest` (RFC 7616, RFC 2069). It is sent after the server has asked for it, and then with the
    /// first request to each URL that the challenge covers.
    ///
    /// The strongest of several challenges is answered. From strong to weak, the algorithms are SHA-512, SHA-512-256,
    /// SHA-256 and MD5, each also as `-sess`. The quality of protection is `auth` if it is offered, and otherwise
    /// `auth-int`, for bodies whose bytes are known. A challenge is answered once, and once more if the server says
    /// that only the nonce was too old. A server that offers only Basic gets no answer. The client's views share the
    /// challenges of an origin.
    ///
    /// While no challenge is known for a request, it carries `Expect: 100-continue` (RFC 9110 section 10.1.1) if its
    /// body is longer than 64 KiB, or of unknown length. The server can then send its challenge before the body is
    /// sent.
    public static func digest(user: String, password: String) -> Authentication {
        Authentication(.digest(DigestSession.User(name: user, password: password)))
    }

    /// The scheme that the server asks for: Digest as with ``digest(user:password:)`` if the server offers it, and
    /// otherwise Basic. Nothing is sent before the server has asked, except a `user:password@` in a URL. Afterwards
    /// Basic goes with the first request to that origin, for as long as the client remembers it.
    public static func challenged(user: String, password: String) -> Authentication {
        Authentication(.challenged(DigestSession.User(name: user, password: password)))
    }

    /// The credentials that a netrc file has for each host, for any port and scheme. They are sent as Basic at once,
    /// and also answer a Digest challenge.
    ///
    /// The file is read once, here. If it cannot be parsed, every call fails with ``CallError/Kind/file`` and the
    /// ``NetrcError`` that names the line.
    /// - Parameter path: the path of the file. The default is `$NETRC`, or else `~/.netrc` or `~/_netrc`, which may be
    ///   missing.
    public static func netrc(_ path: String? = nil) -> Authentication {
        Authentication(.netrc(NetrcFile(path)))
    }

    /// The credentials of the netrc file at a file URL.
    public static func netrc(_ url: URL) -> Authentication { .netrc(url.fileText) }

    /// A token from a source.
    ///
    /// The client asks the source when it has no token, when the token is about to expire, and when a server answers
    /// 401. It asks once for all calls that need a token. Each of them then continues, or is repeated once. See
    /// ``TokenAuthenticator``.
    /// - Parameters:
    ///   - initial: a token to start with.
    ///   - refresh: returns a new token. The client that it receives is this one without authentication.
    public static func token(
        _ initial: AccessToken? = nil, refresh: @escaping @Sendable (Client) async throws -> AccessToken
    ) -> Authentication {
        token(TokenAuthenticator(initial, refresh: refresh))
    }

    /// A token from an authenticator, which you can keep and share between clients.
    public static func token(_ authenticator: TokenAuthenticator) -> Authentication {
        Authentication(.token(authenticator))
    }
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { if case .none = method { "none" } else { Redaction.placeholder } }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["authentication": description]) }
}

/// The value of a `Basic` Authorization field.
struct BasicField {
    let value: String
    /// The reason why the value must not be sent, or nil.
    let problem: String?

    /// - Parameter what: where name and password come from, for the error text.
    init(user: String, password: String, of what: String) {
        let pair = "\(user):\(password)"
        value = "Basic " + Data(pair.utf8).base64EncodedString()
        problem = pair.holdsControlCharacter ? "the \(what) holds a control character" : nil
    }
}
