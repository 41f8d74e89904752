// AddressOverrides: the addresses that the settings name in place of a look-up.

package enum AddressOverrides {
    /// The host and port to connect to for an origin: its own, or those that the setting gives instead.
    /// - Parameter overrides: ``ConnectionSettings/resolve``.
    /// - Throws: ``CallError/Kind/invalidRequest`` if the setting is no address.
    package static func endpoint(of origin: Origin, _ overrides: [String: String]) throws(CallError) -> HostPort {
        if overrides.isEmpty { return HostPort(host: origin.host, port: origin.port) }
        let name = "\(origin.host):\(origin.port)"
        guard let override = override(for: origin, in: overrides) else {
            return HostPort(host: origin.host, port: origin.port)
        }
        // An address without a port gets the origin's port.
        let hasPort = override.last != "]" && override.split(separator: ":").count > 1
        guard !override.contains(where: { "/?#@".contains($0) }),
            let target = Origin("http://\(override)\(hasPort ? "" : ":\(origin.port)")")
        else {
            throw CallError(
                .invalidRequest,
                "connection.resolve[\"\(name)\"] is not an address, or an address and port: \(override)",
                advice: "an IPv6 address stands in brackets")
        }
        return HostPort(host: target.host, port: target.port)
    }

    /// The address for the host and port, otherwise for the host, otherwise for all hosts. Hosts are compared in the form
    /// of ``Origin/host``.
    private static func override(for origin: Origin, in overrides: [String: String]) -> String? {
        let withPort = "\(origin.host):\(origin.port)"
        if let override = overrides[withPort] { return override }
        var found: String?
        for (key, override) in overrides {
            guard let name = canonical(key) else { continue }
            if name == withPort { return override }
            if name == origin.host { found = override }
        }
        return found ?? overrides["*:\(origin.port)"] ?? overrides["*"]
    }

    /// `host` or `host:port`, with the host in the form of ``Origin/host``. nil if the key is neither.
    package static func canonical(_ key: String) -> String? {
        guard !key.utf8.contains(where: { "/?#@".utf8.contains($0) }) else { return nil }
        // A key may be an IPv6 address without brackets.
        if IPAddress(key) != nil { return Origin("http://\(key.utf8.contains(0x3A) ? "[\(key)]" : key)")?.host }
        guard let colon = key.utf8.lastIndex(of: UInt8(ascii: ":")), key.utf8.last != UInt8(ascii: "]") else {
            return Origin("http://\(key)")?.host
        }
        let (host, port) = (key[..<colon], key[key.utf8.index(after: colon)...])
        let isBare = host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[")
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            return nil
        }
        return Origin("http://\(isBare ? "[\(host)]" : String(host))").map { "\($0.host):\(number)" }
    }
}
