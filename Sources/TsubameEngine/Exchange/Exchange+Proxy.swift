// What an exchange says to a proxy that forwards its request, and what it does about the proxy's 407.

import HTTPTypes
import TsubameCore
import TsubameWire

extension Exchange {
    /// How much of a refusal is read, so that its connection can be used again.
    private static var drainedBytes: Int { 64 << 10 }

    /// The value of Proxy-Authorization.
    /// - Parameter target: as it stands in the request line.
    func proxyAuthorization(_ target: String) -> String? {
        guard let proxy = key.proxy, proxy.isAuthorized else { return nil }
        if let proxyCredentials { return proxyCredentials.authorization }
        let message = DigestSession.Message(
            method: request.method.rawValue, target: target,
            body: request.body.isEmpty ? Bytes() : request.body.bytes)
        let call = call
        let credentials = ProxyCredentials(proxy, loopPool.proxies, message) { call.emit(.decision($0)) }
        proxyCredentials = credentials
        return credentials.authorization
    }

    /// Whether this is a refusal that is answered; the request goes out again then.
    func answersProxy(_ head: ReceivedHead) -> Bool {
        guard let credentials = proxyCredentials, credentials.answersChallenges else { return false }
        let fields = ReceivedFields(head)
        guard head.status == 407 else {
            credentials.take(fields[values: .proxyAuthenticationInfo])
            return false
        }
        guard request.body.isWhole else {
            call.emit(.decision("the proxy's 407 is given back: the body can be sent only once"))
            return false
        }
        guard credentials.answer(fields[values: .proxyAuthenticate]) != nil else { return false }
        return beginsAgain(after: head, why: ResendReason(.authentication, "407: Digest"))
    }

    /// Counts the exchange that follows a refusal, and tells of both; false, and the call has failed, if it may have no more.
    func beginsAgain(after head: ReceivedHead, why: ResendReason) -> Bool {
        do throws(CallError) {
            try call.countExchange()
        } catch {
            fail(error)
            return false
        }
        if isObserved {
            call.emit(.headReceived(response(head, ResponseBody(), trailers: nil)))
            call.emit(.resending(request, why: why, after: .zero))
        }
        return true
    }

    /// A piece of the refusal's body. With one that is too long its connection goes.
    func receiveRefusal(_ piece: Bytes) -> Bool {
        let count = (refusedBytes ?? 0) + piece.count
        refusedBytes = count
        guard count > Self.drainedBytes else { return false }
        connection?.abandon(self)
        resend(afterRefusal: true)
        return false
    }
}
