// AddressOverride: one `--resolve`: the address to use for a host and port.

import TsubamePlatform

/// An address for a host and port, used instead of a lookup.
struct AddressOverride: Hashable, Sendable {
    /// `host:port`, the host in lower case and without brackets; `*` is any host.
    let host: String
    /// `address:port`.
    let address: String

    /// The address may have its own port: `api.example.com:443:127.0.0.1:8443`.
    /// - Throws: what is wrong with the argument, and its correct form.
    init(parsing argument: String) throws(UsageProblem) {
        func wrong(_ what: String) -> UsageProblem {
            UsageProblem("\(what). Write host:port:address, such as example.com:443:127.0.0.1.")
        }
        let hostEnd: String.Index
        if argument.hasPrefix("["), let bracket = argument.firstIndex(of: "]") {
            hostEnd = argument.index(after: bracket)
        } else {
            hostEnd = argument.firstIndex(of: ":") ?? argument.endIndex
        }
        var name = argument[..<hostEnd]
        if name.hasPrefix("[") { name = name.dropFirst().dropLast() }
        guard !name.isEmpty else { throw wrong("There is no host") }
        let rest = argument[hostEnd...].dropFirst()
        guard !rest.isEmpty else { throw wrong("There is no port after the host “\(name)”") }
        let portEnd = rest.firstIndex(of: ":") ?? rest.endIndex
        guard let port = UInt16(rest[..<portEnd]), port > 0 else { throw wrong("“\(rest[..<portEnd])” is no port") }
        let address = rest[portEnd...].dropFirst()
        guard !address.isEmpty else { throw wrong("There is no address after the port") }

        host = "\(name.lowercased()):\(port)"
        let (literal, own) = Self.split(address)
        guard Self.isAddress(literal) else {
            throw wrong("“\(literal)” is no IP address, and a name would need a lookup")
        }
        guard let own else {
            self.address = literal.contains(":") ? "[\(literal)]:\(port)" : "\(literal):\(port)"
            return
        }
        guard let number = UInt16(own), number > 0 else { throw wrong("“\(own)” is no port for the address") }
        self.address = literal.contains(":") ? "[\(literal)]:\(number)" : "\(literal):\(number)"
    }

    /// The address without brackets, and the port after it.
    private static func split(_ text: Substring) -> (literal: String, port: Substring?) {
        if text.hasPrefix("["), let bracket = text.firstIndex(of: "]") {
            let rest = text[text.index(after: bracket)...]
            return (String(text[..<bracket].dropFirst()), rest.isEmpty ? nil : rest.dropFirst())
        }
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return (String(text), nil) }
        return (String(text[..<colon]), text[text.index(after: colon)...])
    }

    /// Whether the text is an IPv4 or IPv6 address; a zone may follow.
    private static func isAddress(_ text: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return true }
        return inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &bytes) == 1
    }
}
