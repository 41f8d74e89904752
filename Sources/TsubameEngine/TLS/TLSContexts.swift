// TLSContexts: the TLS contexts that the engine makes of connection settings.

import TsubameCore

/// The engine makes each ``ConnectionKey`` of settings with these resources.
final class TLSContexts: SettingsResources {
    let origin: TLSContext
    let proxy: TLSContext

    /// - Parameter other: contexts that are used again if they have the same TLS settings.
    init(_ settings: ConnectionSettings, reusing other: TLSContexts? = nil) {
        origin = TLSContext.of(settings.tls, settings.httpVersion, reusing: other?.origin)
        proxy = TLSContext.of(settings.proxyTLS, .http11, reusing: other?.proxy)
    }
}

extension SharedSettings {
    /// The settings with contexts for them.
    /// - Parameter other: settings whose contexts are used again where they suit.
    convenience init(_ settings: ConnectionSettings, reusing other: SharedSettings?, readsCertificates: Bool = false) {
        self.init(
            settings, TLSContexts(settings, reusing: other?.contexts), readsCertificates: readsCertificates)
    }

    /// Settings that another module made have no contexts yet.
    fileprivate var contexts: TLSContexts { resources as? TLSContexts ?? TLSContexts(settings) }
}

extension ConnectionKey {
    /// The TLS context for origins.
    var tls: TLSContext { settings.contexts.origin }

    /// The TLS context for `https` proxies.
    var proxyTLS: TLSContext { settings.contexts.proxy }
}
