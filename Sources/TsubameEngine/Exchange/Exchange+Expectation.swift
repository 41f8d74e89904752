// Exchange+Expectation: whether a request asks before it sends its body (RFC 9110 section 10.1.1), and the answer to a 417.
// The connections wait: Connection+WaitForContinue and HTTP2Connection+WaitForContinue.

import HTTPTypes
import TsubameCore
import TsubameWire

extension Exchange {
    /// How long a connection waits before it sends the body unasked, in nanoseconds. Many servers never answer 100. curl
    /// waits as long.
    static var continueTimeout: Int64 { 1_000_000_000 }

    /// Whether the head goes out alone, and the body when the server wants it. With nothing to send there is nothing to
    /// ask for.
    func asksFirst(_ framing: RequestEncoder.Framing) -> Bool {
        guard framing != .none, framing != .length(0), request.headers.contains(.expect) else { return false }
        return request.headers[.expect]?.lowercased() == "100-continue"
    }

    /// Whether the request goes out again without its Expect, as RFC 9110 section 10.1.1 says of servers, or proxies, that
    /// do not know it. Whatever else the 417 is about, it then comes again and is given back.
    func answersExpectation(_ head: ReceivedHead) -> Bool {
        guard request.headers.contains(.expect) else { return false }
        guard request.body.isWhole else {
            call.emit(.decision("the 417 is given back: the body can be sent only once"))
            return false
        }
        return beginsAgain(after: head, why: ResendReason(.expectation, "417: without Expect"))
    }
}
