// ProxyExceptions: the hosts that are reached without a proxy.

/// The hosts that are reached without a proxy.
struct ProxyExceptions: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let name: String
        let port: UInt16?
        let network: String?
        let prefix: Int
    }

    let texts: [String]
    private let entries: [Entry]
    /// The first text that is no exception; nil for the environment, whose invalid texts are ignored.
    private let unreadable: String?

    init(_ texts: [String], isStrict: Bool = false) {
        self.texts = texts
        let read = texts.map { text in (text, Self.entry(text)) }
        entries = read.compactMap(\.1)
        unreadable = isStrict ? read.first { $0.1 == nil }?.0 : nil
    }

    private static func entry(_ text: String) -> Entry? {
        var text = text.lowercased()
        if let slash = text.firstIndex(of: "/") {
            let network = String(text[..<slash])
            guard let bits = IPAddress(network)?.bytes.count, let prefix = Int(text[text.index(after: slash)...]),
                (0...(bits * 8)).contains(prefix)
            else { return nil }
            return Entry(name: "", port: nil, network: network, prefix: prefix)
        }
        if let address = IPAddress(text.trimming("[]")) {
            return Entry(name: "", port: nil, network: text.trimming("[]"), prefix: address.bytes.count * 8)
        }
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), let number = UInt16(text[text.index(after: colon)...]) {
            port = number
            text = String(text[..<colon])
        }
        if let address = IPAddress(text.trimming("[]")) {
            return Entry(name: "", port: port, network: text.trimming("[]"), prefix: address.bytes.count * 8)
        }
        // `*.host` means the same as `host`: the host and all names below it.
        if text.hasPrefix("*.") { text.removeFirst(1) }
        if text.hasPrefix(".") { text.removeFirst() }
        // The host gets the form of `Origin.host`, in which it is compared.
        guard let host = text == "*" ? text : Origin("http://\(text)")?.host else { return nil }
        return Entry(name: DomainName.withoutRootDot(host), port: port, network: nil, prefix: 0)
    }

    /// A text for a digest. Only equal exceptions have the same text.
    var text: String {
        entries.map { "\($0.name) \($0.port ?? 0) \($0.network ?? "") \($0.prefix)" }.joined(separator: ",")
            + (unreadable.map { ", \($0)" } ?? "")
    }

    /// - Throws: ``CallError/Kind/invalidRequest`` if one of the texts is no exception.
    func contains(_ origin: Origin) throws(CallError) -> Bool {
        if let unreadable {
            throw CallError(
                .invalidRequest,
                "the proxy's exception \"\(Redaction.printable(unreadable))\" is no host, address or network",
                advice: "write host, host:port, an address, 10.0.0.0/8 or *")
        }
        let address = IPAddress(origin.host)
        let host = DomainName.withoutRootDot(origin.host)
        return entries.contains { entry in
            if let port = entry.port, port != origin.port { return false }
            if let network = entry.network {
                guard let address, let other = IPAddress(network) else { return false }
                return address.isWithin(other, prefix: entry.prefix)
            }
            return entry.name == "*" || entry.name == host
                || (address == nil && host.hasSuffix("." + entry.name))
        }
    }
}

extension String {
    fileprivate func trimming(_ characters: String) -> String {
        var text = self[...]
        while let first = text.first, characters.contains(first) { text.removeFirst() }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return String(text)
    }
}
