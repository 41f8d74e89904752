// SettingsCheck: finds invalid connection settings before a connection is made.

/// An invalid setting must not be ignored. A pin under a name that is no host, for example, would protect no host.
package enum SettingsCheck {
    /// The first fault of these settings, if there is one.
    package static func fault(of settings: ConnectionSettings) -> CallError? {
        do throws(CallError) {
            try check(settings.tls.pins, named: "connection.tls.pins")
            try check(settings.proxyTLS.pins, named: "connection.proxyTLS.pins")
            for name in settings.resolve.keys { try check(resolved: name) }
            try check(settings.unixSocket, named: "connection.unixSocket")
            try check(settings.tls.keyLogFile, named: "connection.tls.keyLogFile")
            try check(settings.proxyTLS.keyLogFile, named: "connection.proxyTLS.keyLogFile")
            try check(settings.connectionsPerOrigin, named: "connection.connectionsPerOrigin")
            try check(settings.connections ?? 1, named: "connection.connections")
            return nil
        } catch {
            return error
        }
    }

    private static func check(_ pins: [String: PinnedKeys], named setting: String) throws(CallError) {
        for (name, keys) in pins {
            guard TLSHostName(name) != nil else {
                throw CallError(
                    .invalidRequest, "\(setting)[\"\(Redaction.printable(name))\"] is not under a host name",
                    advice: "write the host alone, without scheme, port and path, or *.example.com for all below one")
            }
            if let pin = keys.unreadable {
                throw CallError(
                    .invalidRequest, "\(setting)[\"\(name)\"] has an invalid pin: \(Redaction.printable(pin))",
                    advice: "a pin is sha256/ and the base64 of the SHA-256 of the public key (44 characters)")
            }
        }
    }

    private static func check(resolved name: String) throws(CallError) {
        // A name with a scheme or a path would never match a host.
        guard AddressOverrides.canonical(name) != nil else {
            throw CallError(
                .invalidRequest,
                "connection.resolve[\"\(Redaction.printable(name))\"] is not under a host, or a host and port",
                advice: "write host:port, or the host alone for all its ports")
        }
    }

    private static func check(_ location: FileLocation?, named setting: String) throws(CallError) {
        guard let location, !location.isFile else { return }
        throw CallError(
            .invalidRequest, "\(setting) is no file URL: \(Redaction.printable(location.path))",
            advice: "make one from a path by URL(filePath:)")
    }

    private static func check(_ limit: Int, named setting: String) throws(CallError) {
        guard limit < 1 else { return }
        throw CallError(.invalidRequest, "\(setting) is \(limit)", advice: "allow at least 1, or leave it unset")
    }
}
