// The handshake of a connector with a proxy.

import TsubameCore
import TsubameWire

extension Connector {
    /// The handshake with the proxy, if there is one. Each attempt has one of its own.
    func handshake() throws(CallError) -> (any ProxyHandshake)? {
        guard let proxy = key.proxy else { return nil }
        let target = try AddressOverrides.endpoint(of: key.origin, key.settings.settings.resolve)
        if credentials == nil, proxy.isAuthorized, !proxy.forwards(key.origin) {
            let message = DigestSession.Message(
                method: "CONNECT", target: Proxy.authority(of: target), body: Bytes())
            credentials = ProxyCredentials(proxy, loopPool.proxies, message) { [weak self] in
                self?.waiter.tell(.decision($0))
            }
        }
        do throws(WireError) {
            return try proxy.handshake(to: key.origin, at: target, limits: waiter.call.options.limits, credentials)
        } catch {
            throw CallError(error, phase: .connecting)
        }
    }
}
