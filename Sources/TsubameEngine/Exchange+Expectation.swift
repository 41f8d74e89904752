// What an exchange does about a 417 (Expectation Failed).

import HTTPTypes
import TsubameCore

extension Exchange {
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
