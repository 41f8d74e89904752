// SharedSettings: connection settings behind one reference.

package import TsubamePlatform

/// Settings that are compared by identity first. The values that most requests use are computed once.
package final class SharedSettings: Hashable, Sendable {
    package let settings: ConnectionSettings
    /// The age at which a connection takes no further request, in nanoseconds.
    package let connectionLifetime: MonotonicTime
    package let exchangesPerConnection: Int
    /// The most connections to one origin. ``staysOnHomeLoop`` says over which loops they are counted.
    package let connectionLimit: Int
    /// Whether all calls to an origin use one loop, so that the limit holds for all of them.
    package let staysOnHomeLoop: Bool
    package let hasNoProxy: Bool
    /// The error of every attempt to make a connection, if the settings are invalid.
    package let fault: CallError?
    /// Whether a handshake only reads the server's certificates. It then fails with a ``CertificatesRead``.
    package let readsCertificates: Bool

    /// Objects that an engine makes of the settings once, such as TLS contexts; nil without an engine.
    package let resources: (any SettingsResources)?

    package init(
        _ settings: ConnectionSettings, _ resources: (any SettingsResources)? = nil, readsCertificates: Bool = false
    ) {
        self.settings = settings
        self.readsCertificates = readsCertificates
        self.resources = resources
        connectionLifetime = settings.connectionLifetime?.nanosecondsClamped ?? .max
        exchangesPerConnection = settings.exchangesPerConnection ?? .max
        connectionLimit = max(settings.connectionsPerOrigin, 1)
        staysOnHomeLoop = settings.connectionsPerOrigin < ConnectionSettings.defaultConnectionsPerOrigin
        hasNoProxy = settings.proxy.isNone || settings.unixSocket != nil
        fault = SettingsCheck.fault(of: settings)
    }

    @inlinable
    package static func == (left: SharedSettings, right: SharedSettings) -> Bool {
        left === right || left.readsCertificates == right.readsCertificates && left.settings == right.settings
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(settings) }
}
