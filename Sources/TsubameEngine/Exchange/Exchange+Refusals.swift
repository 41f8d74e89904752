// The refusals that an exchange answers by itself: 417 to its Expect (RFC 9110 section 10.1.1), and a proxy's 407 (RFC 9110
// section 11.7).

import HTTPTypes
import TsubameCore
import TsubameWire

extension Exchange {
    /// Whether the request goes out again because of this head. The rest of the response is then only read.
    /// - Throws: ``CallError/Kind/invalidResponse`` for a 407 of a server that is no proxy, and
    ///   ``CallError/Kind/limitExceeded`` if the call may have no further exchange.
    @inline(__always)
    func answersRefusal(_ head: ReceivedHead) throws(CallError) -> Bool {
        switch head.status {
        case 407 where !key.isForwarded:
            // Credentials are for proxies, and a server that is none asks for them to get at those of one.
            throw CallError(
                .invalidResponse, "407 (Proxy Authentication Required) from a server that is no proxy",
                phase: .waitingForHead, timeout: nil, connection: progress.connection)
        case 417:
            if try answersExpectation(head) { return true }
        default: break
        }
        return key.isForwarded ? try answersProxy(head) : false
    }

    /// Whether the request goes out again without its Expect, as RFC 9110 section 10.1.1 says of servers, or proxies, that
    /// do not know it. A 417 for another reason comes again then, and is given back.
    private func answersExpectation(_ head: ReceivedHead) throws(CallError) -> Bool {
        guard outgoing.request.headers.contains(.expect), !sendings.isWithoutExpect else { return false }
        guard outgoing.request.body.isWhole else {
            call.emit(.decision("the 417 is given back: the body can be sent only once"))
            return false
        }
        try tellBeginningAnew(after: head, why: ResendReason(.expectation, "417: without Expect"))
        dropExpect()
        return true
    }

    /// The value of Proxy-Authorization.
    /// - Parameter target: as it stands in the request line.
    func proxyAuthorization(_ target: String) -> String? {
        guard let proxy = key.proxy, proxy.isAuthorized else { return nil }
        if let known = sendings.proxyCredentials { return known.authorization }
        let body = outgoing.request.body
        let message = DigestSession.Message(
            method: outgoing.request.method.rawValue, target: target, body: body.isEmpty ? Bytes() : body.bytes)
        let call = call
        let credentials = ProxyCredentials(proxy, loopPool.proxies, message) { call.emit(.decision($0)) }
        use(credentials)
        return credentials.authorization
    }

    /// Whether the proxy's 407 is answered.
    private func answersProxy(_ head: ReceivedHead) throws(CallError) -> Bool {
        guard let credentials = sendings.proxyCredentials, credentials.answersChallenges else { return false }
        let fields = ReceivedFields(head)
        guard head.status == 407 else {
            credentials.take(fields[values: .proxyAuthenticationInfo])
            return false
        }
        guard outgoing.request.body.isWhole else {
            call.emit(.decision("the proxy's 407 is given back: the body can be sent only once"))
            return false
        }
        guard credentials.answer(fields[values: .proxyAuthenticate]) != nil else { return false }
        try tellBeginningAnew(after: head, why: ResendReason(.authentication, "407: Digest"))
        return true
    }

    /// Counts the exchange that follows a refusal, and tells of both.
    private func tellBeginningAnew(after head: ReceivedHead, why: ResendReason) throws(CallError) {
        try call.countExchange()
        guard outgoing.isObserved else { return }
        call.emit(.headReceived(makeResponse(head, ResponseBody(), trailers: nil)))
        call.emit(.resending(outgoing.request, why: why, after: .zero))
    }

    /// The response breaks off. A refusal has then said all that counts, and the request goes out anew.
    func breakOff(_ error: CallError) {
        if response.isRefused { restart(afterRefusal: true) } else { fail(error) }
    }
}
