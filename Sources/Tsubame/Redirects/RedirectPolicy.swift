// RedirectPolicy: which redirects a client follows, how many, and with which fields.

public import TsubameCore

/// Which redirects a client follows (RFC 9110 section 15.4). Redirects are responses with status 301, 302, 303, 307 or
/// 308 and a Location of http or https.
///
/// ```swift
/// $0.redirects = .follow(max: 5)
/// $0.redirects = .off                                     // a 3xx is the answer
/// $0.redirects = .rule { redirect in
///     redirect.request.uri?.host == "login.example.com" ? .giveBack("the session is over") : .standard
/// }
/// ```
/// A redirect from https to http is not followed unless ``allowsInsecure`` is true. A request to another origin goes
/// without credentials and without the fields that the client adds to its own requests. The last response lists the
/// earlier ones in its `history`.
public struct RedirectPolicy: Sendable {
    /// A redirect that the policy would follow.
    public struct Redirect: Sendable {
        /// The 3xx response, with its body unread. Its `history` lists the responses before it.
        public let response: Response
        /// The request that would be sent, with method, body and fields changed for the new location.
        public let request: Request
        /// How many redirects the call has followed before this one.
        public let count: Int
    }

    /// The decision of a rule.
    public enum Decision: Sendable {
        /// Decide as without a rule: send ``Redirect/request``.
        case standard
        /// Send this request instead. To another origin it goes with all its own fields, but without those that the
        /// client adds to its own requests.
        case follow(Request)
        /// Do not follow the redirect: the 3xx is the response of the call. The call's events report this reason.
        case giveBack(String)
    }

    /// The most redirects that a call follows. One more throws an error of kind ``CallError/Kind/redirect``. For
    /// comparison, Chrome follows 20, curl 50.
    public var maximum: Int
    /// Whether a redirect from https to http is followed.
    public var allowsInsecure: Bool
    /// Whether a followed redirect sends `Referer` (RFC 9110 section 10.1.3).
    ///
    /// The field has the previous URL without fragment and userinfo. Another origin receives only the previous origin.
    /// A redirect from https to http sends no `Referer`.
    public var sendsReferer = false
    /// Your decision about each redirect that the policy would follow.
    public var rule: (@Sendable (Redirect) -> Decision)?
    let isOff: Bool

    /// The statuses of responses whose body may stay unread because of a redirect. An interceptor may follow redirects
    /// that this policy does not.
    static let statuses = 300...399

    private init(maximum: Int, allowsInsecure: Bool, isOff: Bool) {
        self.maximum = maximum
        self.allowsInsecure = allowsInsecure
        self.isOff = isOff
    }

    /// Follows no redirect: a 3xx is the response of the call.
    public static var off: RedirectPolicy { RedirectPolicy(maximum: 0, allowsInsecure: false, isOff: true) }

    /// Follows at most `max` redirects in a call. The default of a client is 20.
    public static func follow(max: Int, allowingInsecure: Bool = false) -> RedirectPolicy {
        RedirectPolicy(maximum: max, allowsInsecure: allowingInsecure, isOff: false)
    }

    /// Follows at most 20 redirects in a call, with changes.
    public static func standard(_ change: (inout RedirectPolicy) -> Void) -> RedirectPolicy {
        var policy = RedirectPolicy.follow(max: 20)
        change(&policy)
        return policy
    }

    /// Follows at most 20 redirects in a call, as `rule` decides.
    public static func rule(_ rule: @escaping @Sendable (Redirect) -> Decision) -> RedirectPolicy {
        .standard { $0.rule = rule }
    }
}

extension RedirectPolicy: CustomStringConvertible {
    public var description: String {
        guard !isOff else { return "off" }
        let more =
            (allowsInsecure ? ["from https to http too"] : []) + (sendsReferer ? ["with Referer"] : [])
            + (rule == nil ? [] : ["by a rule"])
        return (["up to \(maximum)"] + more).joined(separator: ", ")
    }
}
