// SharedSettings: connection settings behind one reference.

package import TsubamePlatform

/// Settings that are compared by identity first. What most requests look at is computed once.
package final class SharedSettings: Hashable, Sendable {
    package let settings: ConnectionSettings
    /// The age at which a connection takes no further request, in nanoseconds.
    package let connectionLifetime: MonotonicTime
    package let exchangesPerConnection: Int
    package let hasNoProxy: Bool
    /// The error of every attempt to make a connection, if the settings are invalid.
    package let fault: CallError?

    /// What the engine made of the settings, such as TLS contexts.
    package let resources: any SettingsResources

    package init(_ settings: ConnectionSettings, _ resources: any SettingsResources) {
        self.settings = settings
        self.resources = resources
        connectionLifetime = settings.connectionLifetime?.nanosecondsClamped ?? .max
        exchangesPerConnection = settings.exchangesPerConnection ?? .max
        hasNoProxy = settings.proxy.isNone || settings.unixSocket != nil
        fault = SettingsCheck.fault(of: settings)
    }

    package static func == (left: SharedSettings, right: SharedSettings) -> Bool {
        left === right || left.settings == right.settings
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(settings) }
}

/// What an engine makes of connection settings once, and uses for each connection. Only that engine looks inside.
package protocol SettingsResources: AnyObject, Sendable {}
