// Credentials: what identifies the caller to his own origin.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubameWire

/// The credentials that a client sends to its own origin; never to another.
public struct Authentication: Sendable, Hashable {
    fileprivate let field: String?

    /// None. A `user:password@` in a URL is still sent, to that URL's origin only.
    public static let none = Authentication(field: nil)

    /// `Authorization: Basic` (RFC 7617), in UTF-8, sent at once rather than after a challenge.
    public static func basic(user: String, password: String) -> Authentication {
        Authentication(field: "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
    }

    /// `Authorization: Bearer` (RFC 6750).
    public static func bearer(_ token: String) -> Authentication { Authentication(field: "Bearer " + token) }
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { field == nil ? "none" : Redaction.placeholder }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["authentication": description]) }
}

/// Adds Authorization where the request has none and stays at home.
struct Credentials: Hook {
    let authentication: Authentication

    init(_ authentication: Authentication) { self.authentication = authentication }

    func willSend(_ request: inout Request) throws(CallError) {
        let userinfo = request.uri?.userinfo
        guard authentication.field != nil || userinfo != nil, !request.headers.contains(.authorization) else { return }
        if let userinfo {
            let pair = PercentEncoding.decodeLeniently(userinfo.contains(":") ? userinfo : userinfo + ":")
            request.headers.appendSafely(
                HTTPField(name: .authorization, value: "Basic " + Data(pair.utf8).base64EncodedString()))
        } else if let field = authentication.field, !request.isForeign {
            request.headers.appendSafely(HTTPField(name: .authorization, value: field))
        }
    }
}
