// Redirects: the step of the chain that follows 3xx responses (RFC 9110 section 15.4).

import TsubameCore
import HTTPTypes

/// Follows redirects. A redirect to another origin starts again from the request as the caller made it. It carries no
/// credentials and nothing that the client or an interceptor had added. This holds for the rest of the call.
final class Redirects: ChainStep {
    let kind = "follow-up"
    let policy: RedirectPolicy
    private let allowedOrigins: Set<Origin>
    private let crossOriginFields: CrossOriginFields
    /// The hosts that are reached by https only.
    private let store: HSTSStore?

    init(policy: RedirectPolicy, configuration: Configuration) {
        self.policy = policy
        allowedOrigins = configuration.allowedOrigins
        crossOriginFields = CrossOriginFields(configuration)
        store = configuration.hsts.store
    }

    func stance(toward request: borrowing Request) -> Stance { policy.isOff ? .absent : .watching }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        Self.isRedirect(response.statusCode)
    }

    private static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp {
        let status = response.statusCode
        guard !policy.isOff, Self.isRedirect(status) else { return .proceed }
        let locations = Set(response.wire[values: .location])
        guard let location = locations.first else { return .proceed }
        guard locations.count == 1 else {
            return .fail(error("the redirect names \(locations.count) different Locations", response, hop))
        }
        // An empty reference means the same URL (RFC 3986 section 4.4), and following it never ends. curl takes it for none, too.
        guard !location.isEmpty else { return .note("the redirect is not followed: its Location is empty") }
        guard let uri = Self.sent(hop.request, as: response.request.uri) else { return .proceed }
        let redaction = hop.request.redaction
        let target: TargetURI
        do throws(CallError) {
            switch try uri.resolving(location, redaction: redaction) {
            case .uri(let resolved):
                // A host that is reached by https only gets the redirected request so (RFC 6797 section 8.3).
                target = resolved.reached(from: uri, store)
            case .otherScheme(let scheme):
                return .note("the redirect to a \(scheme): URI is not followed")
            }
        } catch {
            return .fail(self.error("the redirect's Location is invalid: \(error.reason)", response, hop))
        }
        if uri.isSecure, !target.isSecure, !policy.allowsInsecure {
            let shown = redaction.url(target.string)
            return .note("the redirect from https to \(shown) is not followed: it would be unprotected")
        }
        // A hook may have sent the first request elsewhere.
        let first = response.history.first.flatMap { $0.request.isCrossOrigin ? nil : $0.request.uri }
        let home = first?.origin ?? uri.origin
        guard var next = request(for: status, to: target, from: uri.origin, hop, home: home) else {
            return .note("the redirect is not followed: the body can be sent only once")
        }
        guard hop.resends < policy.maximum else {
            return .fail(error("more than \(policy.maximum) redirects", response, hop))
        }
        if policy.sendsReferer { next.headers[.referer] = Self.referer(from: uri, to: target) }
        return decide(next, response, hop, home: home)
    }

    /// Applies the user's rule, if there is one.
    private func decide(
        _ next: Request, _ response: borrowing Response, _ hop: borrowing Hop, home: Origin
    ) -> FollowUp {
        let withheld = hop.request.redaction
        let shown = next.uri.map { withheld.url($0.string) } ?? ""
        let why = ResendReason(.redirect, "\(response.statusCode) to \(shown)")
        guard let rule = policy.rule else { return .resend(next, after: .zero, why: why) }
        let redirect = RedirectPolicy.Redirect(response: copy response, request: next, count: hop.resends)
        switch rule(redirect) {
        case .standard:
            return .resend(next, after: .zero, why: why)
        case .giveBack(let reason):
            return .note("the redirect to \(shown) is not followed: \(reason)")
        case .follow(var other):
            guard let uri = other.uri else {
                return .fail(error("the rule for redirects gave a request without a URL of its own", response, hop))
            }
            if hop.request.isCrossOrigin || uri.origin != home && !isAllowed(uri.origin) {
                other.isCrossOrigin = true
                crossOriginFields.stripCopied(&other, from: hop.request)
                other.entry = other
            }
            if other.redaction != withheld { other.redaction = withheld }
            let shown = withheld.url(uri.string)
            let why = ResendReason(.redirect, "\(response.statusCode) to \(shown), by the rule for redirects")
            return .resend(other, after: .zero, why: why)
        }
    }

    /// The value of Referer, as browsers send it by default, or nil if none is sent.
    private static func referer(from source: TargetURI, to target: TargetURI) -> String? {
        if source.isSecure, !target.isSecure { return nil }
        return "\(source.origin.scheme)://\(source.authority)" + (source.origin == target.origin ? source.target : "/")
    }

    /// The next request, or nil if it needs a body that cannot be sent again.
    /// - Parameters:
    ///   - origin: the origin of the response.
    ///   - home: the origin of the call's first request.
    private func request(
        for status: Int, to target: TargetURI, from origin: Origin, _ hop: borrowing Hop, home: Origin
    ) -> Request? {
        var next = hop.request
        let method = next.method
        // 301 and 302 turn a POST into a GET, as in every browser. 303 does so for every method but HEAD (RFC 9110
        // section 15.4).
        let becomesGet =
            switch status {
            case 303: method != .head
            case 301, 302: method == .post
            default: false
            }
        let start = hop.request.entry ?? hop.call.request
        let hasLostBody = hop.request.body.isEmpty && !start.body.isEmpty
        if target.origin != origin, hop.request.isCrossOrigin || !(target.origin == home || isAllowed(target.origin)) {
            next = start
            next.entry = hop.request.entry
            next.method = method
            next.isCrossOrigin = true
            crossOriginFields.strip(&next)
        } else if target.origin != origin {
            next.headers[.host] = nil
        }
        if becomesGet || hasLostBody {
            if becomesGet { next.method = .get }
            next.removeContent()
        } else if !next.body.canBeSentAgain {
            return nil
        }
        next.target = .uri(target)
        RequestDefaults.apply(to: &next)
        return next
    }

    /// The URI to which the request was sent: an https URI if the host asks for https (HSTS).
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
    /// The URL of a reference in a response from `uri`, by https if the host accepts nothing else.
    func reached(from uri: TargetURI, _ store: HSTSStore?) -> TargetURI {
        let whole = inheriting(from: uri)
        guard !whole.isSecure, store?.contains(whole.host) == true else { return whole }
        // The upgrade may lead to the origin of `uri`.
        return whole.upgraded.inheriting(from: uri)
    }

    /// Takes over the parts that a Location leaves out. These are the fragment (RFC 9110 section 10.2.2) and, at the
    /// same origin, the userinfo. A reference without an authority keeps the userinfo (RFC 3986 section 5.2.2).
    func inheriting(from uri: TargetURI) -> TargetURI {
        let userinfo = self.userinfo ?? (origin == uri.origin ? uri.userinfo : nil)
        let fragment = self.fragment ?? uri.fragment
        if userinfo == self.userinfo, fragment == self.fragment { return self }
        return TargetURI(
            origin: origin, target: target, pathLength: path.utf8.count, fragment: fragment, userinfo: userinfo)
    }
}
