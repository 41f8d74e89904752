// ConnectionKey: identifies the connections that a request may use.

/// Everything that takes part in making a connection. Requests share a connection only if their keys are equal.
package struct ConnectionKey: Hashable, Sendable {
    package let origin: Origin
    package let settings: SharedSettings
    /// The proxy with its credentials.
    package let proxy: Proxy?

    @inlinable
    package init(origin: Origin, settings: SharedSettings, proxy: Proxy?) {
        self.origin = origin
        self.settings = settings
        self.proxy = proxy
    }

    /// Whether requests are sent to the proxy itself, in absolute form, rather than through a tunnel.
    @inlinable
    package var isForwarded: Bool { proxy?.forwards(origin) ?? false }

    /// Whether the socket carries TLS, to the origin or to the proxy.
    @inlinable
    package var isEncrypted: Bool { origin.isSecure || proxy?.scheme == .https }

    /// Whether a connection may turn out to carry several exchanges at once.
    @inlinable
    package var mayShare: Bool {
        switch settings.settings.httpVersion {
        case .negotiated: origin.isSecure
        case .http10, .http11: false
        case .http2: true
        }
    }

    @inlinable
    package static func == (left: ConnectionKey, right: ConnectionKey) -> Bool {
        left.settings == right.settings && left.origin == right.origin && left.proxy == right.proxy
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        hasher.combine(origin.host)
        hasher.combine(origin.port)
        if let proxy { hasher.combine(proxy) }
    }
}
