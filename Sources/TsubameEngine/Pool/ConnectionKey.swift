// ConnectionKey: what identifies a connection in the pool.

import TsubameCore

/// Everything that took part in making the connection: whoever wants the same may use it again, and nobody else.
struct ConnectionKey: Hashable {
    let origin: Origin
    let settings: SharedSettings
    /// With its credentials.
    let proxy: Proxy?

    /// Whether requests are sent to the proxy itself, in absolute form, rather than through it.
    var isForwarded: Bool { proxy?.forwards(origin) ?? false }

    /// Whether the socket carries TLS, to the origin or to the proxy.
    var isEncrypted: Bool { origin.isSecure || proxy?.scheme == .https }

    static func == (left: ConnectionKey, right: ConnectionKey) -> Bool {
        left.settings == right.settings && left.origin == right.origin && left.proxy == right.proxy
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(origin.host)
        hasher.combine(origin.port)
    }
}

extension ConnectionKey {
    /// Whether a connection may turn out to carry several exchanges at once.
    var mayShare: Bool {
        switch settings.settings.httpVersion {
        case .negotiated: origin.isSecure
        case .http11: false
        case .http2: true
        }
    }
}
