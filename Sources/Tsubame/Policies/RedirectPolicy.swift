// RedirectPolicy: which redirects are followed, how many, and what is told to where they lead.

public import TsubameCore

/// Which redirects are followed (RFC 9110 section 15.4): 301, 302, 303, 307 and 308 with a Location of http or https.
///
/// ```swift
/// $0.redirects = .follow(max: 5)
/// $0.redirects = .off                                     // a 3xx is the answer
/// $0.redirects = .rule { redirect in
///     redirect.request.uri?.host == "login.example.com" ? .giveBack("the session is over") : .standard
/// }
/// ```
/// From https to http only if allowed. What goes to another origin goes without credentials and without what the client
/// adds to its own requests. The responses that led on are the `history` of the last.
public struct RedirectPolicy: Sendable {
    /// A redirect that the policy would follow.
    public struct Redirect: Sendable {
        /// The response, its body not read; its `history` has those before it.
        public let response: Response
        /// What would be sent: method, body and fields are those for where it goes.
        public let request: Request
        /// How many redirects the call has followed before this one.
        public let count: Int
    }

    /// What a rule decides.
    public enum Decision: Sendable {
        /// Whatever the policy says without the rule: send ``Redirect/request``.
        case standard
        /// Send this request instead. To another origin it goes without what the client adds to its own requests, but
        /// with every field that it has.
        case follow(Request)
        /// Do not follow it: the 3xx is the answer, and the call's events tell this reason.
        case giveBack(String)
    }

    /// The most redirects that a call follows; one more is an error of kind ``CallError/Kind/redirect``. Chrome follows
    /// 20, curl 50.
    public var maximum: Int
    /// Whether a redirect from https to http is followed.
    public var allowsInsecure: Bool
    /// Whether where a redirect leads is told where it came from, by `Referer` (RFC 9110 section 10.1.3): the URL without
    /// fragment and userinfo, another origin only the origin, and nothing where it would go from https to http.
    public var sendsReferer = false
    /// Your own decision about every redirect that would be followed.
    public var rule: (@Sendable (Redirect) -> Decision)?
    let isOff: Bool

    private init(maximum: Int, allowsInsecure: Bool, isOff: Bool) {
        self.maximum = maximum
        self.allowsInsecure = allowsInsecure
        self.isOff = isOff
    }

    /// None: a 3xx is the answer.
    public static var off: RedirectPolicy { RedirectPolicy(maximum: 0, allowsInsecure: false, isOff: true) }

    /// At most so many in a call. The default is 20.
    public static func follow(max: Int, allowingInsecure: Bool = false) -> RedirectPolicy {
        RedirectPolicy(maximum: max, allowsInsecure: allowingInsecure, isOff: false)
    }

    /// At most 20 in a call, with changes.
    public static func standard(_ change: (inout RedirectPolicy) -> Void) -> RedirectPolicy {
        var policy = RedirectPolicy.follow(max: 20)
        change(&policy)
        return policy
    }

    /// At most 20 in a call, and those that `rule` lets through.
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
