// Redirects: the judge of 3xx responses (RFC 9110 section 15.4).

import TsubameCore
import HTTPTypes

/// Which redirects are followed.
public enum RedirectPolicy: Sendable, Hashable {
    /// None: a 3xx is the answer.
    case off
    /// At most so many in a call; Chrome follows 20, curl's default is 50. From https to http only if allowed.
    case follow(max: Int, allowingInsecure: Bool = false)
}

/// Follows redirects. What goes to another origin starts again from the request as the caller made it, without
/// credentials and without anything that the client or an interceptor had added, and stays so for the rest of the call.
final class Redirects: Judge {
    let policy: RedirectPolicy
    private let allowedOrigins: Set<Origin>
    /// The hosts that are reached by https only.
    private let store: HSTSStore?

    init(policy: RedirectPolicy, configuration: Configuration) {
        self.policy = policy
        allowedOrigins = configuration.allowedOrigins
        store = configuration.hsts.store
    }

    func concerns(_ request: borrowing Request) -> Bool { policy != .off }

    func concerns(_ response: borrowing Response) -> Bool {
        switch response.statusCode {
        case 301, 302, 303, 307, 308: policy != .off
        default: false
        }
    }

    func didReceive(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict {
        let status = response.statusCode
        guard concerns(response), case .follow(let maximum, let allowed) = policy else { return .proceed }
        let locations = Set(response.wire[values: .location])
        guard let location = locations.first else { return .proceed }
        guard locations.count == 1 else {
            return .fail(error("the redirect names \(locations.count) different Locations", response, hop))
        }
        guard let uri = Self.sent(hop.request, as: response.request.uri) else { return .proceed }
        var target: TargetURI
        do throws(CallError) {
            switch try uri.resolving(location) {
            case .uri(let resolved):
                target = resolved.inheriting(from: uri)
            case .otherScheme(let scheme):
                return .note("the redirect to a \(scheme): URI is not followed")
            }
        } catch {
            return .fail(self.error("the redirect's Location is invalid: \(error.reason)", response, hop))
        }
        // Where it would go by https anyway, it goes at once (RFC 6797 section 8.3).
        if !target.isSecure, store?.contains(target.host) == true { target = target.upgraded }
        if uri.isSecure, !target.isSecure, !allowed {
            return .note("the redirect from https to \(target) is not followed: it would be unprotected")
        }
        let home = response.history.first?.request.uri?.origin ?? uri.origin
        let next = request(for: status, to: target, from: uri.origin, hop, home: home)
        guard let next else {
            return .note("the redirect is not followed: the body can be sent only once")
        }
        guard hop.resends < maximum else {
            return .fail(error("more than \(maximum) redirects", response, hop))
        }
        return .resend(next, after: .zero, why: "\(status) to \(target)")
    }

    /// The next request; nil if it would need a body that is gone.
    /// - Parameters:
    ///   - origin: where the response came from.
    ///   - home: where the call began.
    private func request(
        for status: Int, to target: TargetURI, from origin: Origin, _ hop: borrowing Hop, home: Origin
    ) -> Request? {
        var next = hop.request
        let method = next.method
        // 301 and 302 turn a POST into a GET, as every browser does; 303 anything but HEAD (RFC 9110 section 15.4).
        let becomesGet =
            switch status {
            case 303: method != .head
            case 301, 302: method == .post
            default: false
            }
        let start = hop.request.entry ?? hop.call.original
        let hasLostBody = hop.request.body.isEmpty && !start.body.isEmpty
        if target.origin != origin, hop.request.isForeign || !(target.origin == home || isAllowed(target.origin)) {
            next = start
            next.entry = hop.request.entry
            next.method = method
            next.isForeign = true
            for name in [HTTPField.Name.authorization, .proxyAuthorization, .cookie, .host] {
                next.headers[fields: name] = []
            }
        } else if target.origin != origin {
            next.headers[fields: .host] = []
        }
        if becomesGet || hasLostBody {
            if becomesGet { next.method = .get }
            next.body = .empty
            // Whatever speaks of the content, registered or not.
            next.headers.removeAll { $0.name.canonicalName.hasPrefix("content-") }
        } else if !next.body.canBeSentAgain {
            return nil
        }
        next.target = .uri(target)
        RequestDefaults.apply(to: &next)
        return next
    }

    /// Where the request really went: by https, where the host asks for that (HSTS).
    private static func sent(_ request: borrowing Request, as sent: TargetURI?) -> TargetURI? {
        guard let uri = request.uri, let sent, sent.isSecure, !uri.isSecure, sent.host == uri.host else {
            return request.uri
        }
        return sent
    }

    private func isAllowed(_ origin: Origin) -> Bool { allowedOrigins.contains(origin) }

    private func error(_ reason: String, _ response: borrowing Response, _ hop: borrowing Hop) -> CallError {
        let response = copy response
        return CallError(
            .redirect, reason, phase: .waitingForHead, request: hop.request, response: response)
    }
}

extension TargetURI {
    /// What a redirect leaves unsaid: the fragment (RFC 9110 section 10.2.2) and, at the same origin, the userinfo, which
    /// a reference without an authority keeps (RFC 3986 section 5.2.2).
    fileprivate func inheriting(from uri: TargetURI) -> TargetURI {
        let userinfo = self.userinfo ?? (origin == uri.origin ? uri.userinfo : nil)
        let fragment = self.fragment ?? uri.fragment
        if userinfo == self.userinfo, fragment == self.fragment { return self }
        return TargetURI(
            origin: origin, target: target, pathLength: path.utf8.count, fragment: fragment, userinfo: userinfo)
    }
}

extension HTTPField.Name {
    static let host = HTTPField.Name("Host") ?? .location
}
