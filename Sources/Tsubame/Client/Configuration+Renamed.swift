// Configuration+Renamed: settings of connections, which newcomers look for beside the others.

public import TsubameCore

extension Configuration {
    /// Not available: `connection.tls` holds these settings.
    @available(*, unavailable, renamed: "connection.tls")
    public var tls: ConnectionSettings.TLS {
        get { connection.tls }
        set { connection.tls = newValue }
    }

    /// Not available: `connection.proxy` holds this setting.
    @available(*, unavailable, renamed: "connection.proxy")
    public var proxy: ProxyPolicy {
        get { connection.proxy }
        set { connection.proxy = newValue }
    }

    /// Not available: `connection.resolver` holds this setting.
    @available(*, unavailable, renamed: "connection.resolver")
    public var resolver: NameResolver {
        get { connection.resolver }
        set { connection.resolver = newValue }
    }

    /// Not available: `connection.resolve` holds this setting.
    @available(*, unavailable, renamed: "connection.resolve")
    public var resolve: [String: String] {
        get { connection.resolve }
        set { connection.resolve = newValue }
    }
}
