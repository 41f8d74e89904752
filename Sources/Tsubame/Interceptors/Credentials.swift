// Credentials: what identifies the caller to his own origin.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubameWire

/// The credentials that a client sends to its own origin; never to another. A client without a base URL has no origin of
/// its own: it sends them to whatever URL it is given, and to no other origin that a redirect leads to.
///
/// Name, password and token must not hold control characters (RFC 7617 section 2): calls that would send them fail with
/// ``CallError/Kind/invalidRequest``, before anything is sent.
public struct Authentication: Sendable, Hashable {
    fileprivate let field: String?
    /// Why the field must not be sent.
    fileprivate let problem: String?

    private init(field: String?, problem: String? = nil) {
        self.field = field
        self.problem = problem
    }

    /// None. A `user:password@` in a URL is still sent, to that URL's origin only.
    public static let none = Authentication(field: nil)

    /// `Authorization: Basic` (RFC 7617), in UTF-8, sent at once rather than after a challenge.
    public static func basic(user: String, password: String) -> Authentication {
        basic(pair: "\(user):\(password)", of: "authentication's name or password")
    }

    /// `Authorization: Bearer` (RFC 6750).
    public static func bearer(_ token: String) -> Authentication {
        Authentication(
            field: "Bearer " + token,
            problem: token.holdsControlCharacter ? "the bearer token holds a control character" : nil)
    }

    fileprivate static func basic(pair: String, of what: String) -> Authentication {
        Authentication(
            field: "Basic " + Data(pair.utf8).base64EncodedString(),
            problem: pair.holdsControlCharacter ? "the \(what) holds a control character" : nil)
    }
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether there are any; never what they are.
    public var description: String { field == nil ? "none" : Redaction.placeholder }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Whether there are any; never what they are.
    public var customMirror: Mirror { Mirror(self, children: ["authentication": description]) }
}

/// Adds Authorization where the request has none and stays at home.
final class Credentials: Hook {
    let authentication: Authentication

    init(_ authentication: Authentication) { self.authentication = authentication }

    func willSend(_ request: inout Request) throws(CallError) {
        let userinfo = request.uri?.userinfo
        guard authentication.field != nil || userinfo != nil, !request.headers.contains(.authorization) else { return }
        let sent: Authentication
        if let userinfo {
            let pair = PercentEncoding.decodeLeniently(userinfo.contains(":") ? userinfo : userinfo + ":")
            sent = .basic(pair: pair, of: "userinfo of the URL")
        } else if !request.isForeign {
            sent = authentication
        } else {
            return
        }
        if let problem = sent.problem { throw CallError(.invalidRequest, problem, request: request) }
        if let field = sent.field { request.headers.appendSafely(HTTPField(name: .authorization, value: field)) }
    }
}
