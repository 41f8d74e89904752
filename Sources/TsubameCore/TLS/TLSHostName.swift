// TLSHostName: the name under which pins are set.

/// One host, or all names below a host.
struct TLSHostName: Hashable {
    /// The host in lower case, without a final dot and without the brackets of an address. It begins with `*.` if it
    /// stands for all names below the host.
    let text: String

    init?(_ text: String) {
        let isWildcard = text.hasPrefix("*.")
        var name = isWildcard ? String(text.dropFirst(2)) : text
        if let address = IPAddress(name), address.bytes.count > 4 { name = "[\(name)]" }
        guard !name.utf8.contains(where: { "/?#@*".utf8.contains($0) }), let origin = Origin("https://\(name)"),
            Origin("https://\(name):1") != nil
        else { return nil }
        self.text = (isWildcard ? "*." : "") + DomainName.withoutRootDot(origin.host)
    }
}
