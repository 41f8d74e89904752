// AddressOverride: `--resolve HOST:PORT:ADDR`.
#if Tool
import ArgumentParser

/// An address to be used for a host and port instead of asking the resolver.
struct AddressOverride: ExpressibleByArgument, Hashable {
    /// `host:port`, the host in lower case and without brackets; `*` is any host.
    let host: String
    /// `address:port`.
    let address: String

    /// The address may have a port of its own: `api.example.com:443:127.0.0.1:8443`.
    init?(argument: String) {
        let hostEnd: String.Index
        if argument.hasPrefix("["), let bracket = argument.firstIndex(of: "]") {
            hostEnd = argument.index(after: bracket)
        } else {
            hostEnd = argument.firstIndex(of: ":") ?? argument.endIndex
        }
        let rest = argument[hostEnd...].dropFirst()
        guard let portEnd = rest.firstIndex(of: ":"), let port = UInt16(rest[..<portEnd]), port > 0 else { return nil }
        var name = argument[..<hostEnd]
        if name.hasPrefix("[") { name = name.dropFirst().dropLast() }
        let address = rest[rest.index(after: portEnd)...]
        guard !name.isEmpty, !address.isEmpty else { return nil }

        host = "\(name.lowercased()):\(port)"
        let colons = address.filter { $0 == ":" }.count
        if address.hasPrefix("[") {
            self.address = address.hasSuffix("]") ? "\(address):\(port)" : String(address)
        } else if colons > 1 {
            self.address = "[\(address)]:\(port)"
        } else {
            self.address = colons == 1 ? String(address) : "\(address):\(port)"
        }
    }
}

#endif
