// ConnectionSettings+CacheIdentity: a text by which a cache keeps responses of different settings apart.

import TsubameCore
import TsubamePlatform
import TsubameWire

extension ConnectionSettings {
    private static let plain: ConnectionSettings = {
        var settings = ConnectionSettings()
        settings.proxy = .none
        return settings
    }()

    /// The same text for settings by which the same server answers, and for no others; a digest, since caches on disk keep it.
    /// Empty for the defaults without a proxy.
    ///
    /// The settings that are named here have the same text in each process. All others have a text of this process alone: a
    /// closure, such as a resolver, cannot be recognised in another process. A setting that is added later is among them.
    /// Limits and logs of keys do not change who answers, so they take no part.
    var cacheIdentity: String {
        var rest = self
        rest.connectionsPerOrigin = Self.plain.connectionsPerOrigin
        rest.connections = nil
        rest.idleConnectionLifetime = Self.plain.idleConnectionLifetime
        rest.connectionLifetime = nil
        rest.exchangesPerConnection = nil
        rest.addressLifetime = Self.plain.addressLifetime
        (rest.tls.keyLogFile, rest.proxyTLS.keyLogFile) = (nil, nil)
        var texts: [String] = []
        func take<Value: Equatable>(_ setting: WritableKeyPath<ConnectionSettings, Value>, as text: String?) {
            guard let text, rest[keyPath: setting] != Self.plain[keyPath: setting] else { return }
            texts.append(text)
            rest[keyPath: setting] = Self.plain[keyPath: setting]
        }
        take(\.httpVersion, as: "versions \(httpVersion.applicationProtocols)")
        take(\.addressFamily, as: addressFamily == .ipv4 ? "IPv4" : "IPv6")
        take(\.interface, as: interface.map { "interface \($0.debugDescription)" })
        take(\.allowedAddresses, as: allowedAddresses == .publicOnly ? "public addresses" : nil)
        take(\.proxy, as: proxy.secretText.map { "proxy \($0)" })
        take(\.tls, as: tls.cacheText.map { "TLS \($0)" })
        take(\.proxyTLS, as: proxyTLS.cacheText.map { "TLS with the proxy \($0)" })
        take(\.unixSocket, as: unixSocket.map { "socket \(CachePath.absolute($0.path))" })
        let overrides = resolve.map { "\($0.key.debugDescription) \($0.value.debugDescription)" }.sorted()
        take(\.resolve, as: "addresses \(overrides)")
        if rest != Self.plain {
            var hasher = Hasher()
            hasher.combine(rest)
            texts.append("\(UniqueNumber.process) \(hasher.finalize())")
        }
        return texts.isEmpty ? "" : CacheIdentity.digest(texts.joined(separator: "\n"))
    }
}
