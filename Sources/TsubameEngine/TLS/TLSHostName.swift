// TLSHostName: the name under which a client files the pins of a host.

import TsubameCore
import TsubameWire

/// A host's name as pins are filed: one host, or all names below one.
struct TLSHostName: Hashable {
    /// In lower case, without the dot at the end and an address's brackets; with `*.` before it for all names below.
    let text: String

    init?(_ text: String) {
        let isWildcard = text.hasPrefix("*.")
        var name = isWildcard ? String(text.dropFirst(2)) : text
        if let address = IPAddress(name), address.bytes.count > 4 { name = "[\(name)]" }
        guard !name.contains("/"), !name.contains("@"), !name.contains("*"), let origin = Origin("https://\(name)"),
            Origin("https://\(name):1") != nil
        else { return nil }
        self.text = (isWildcard ? "*." : "") + DomainName.withoutRootDot(origin.host)
    }
}
