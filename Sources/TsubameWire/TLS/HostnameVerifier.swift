// HostnameVerifier: decides whether a name in a certificate covers the requested host (RFC 9525 section 6.3).

/// A host name in the form in which certificates are compared with it.
package struct HostnameVerifier: Sendable, Hashable {
    private let labels: [[UInt8]]

    /// - Parameter host: the host in A-labels. The dot of the DNS root may follow it.
    package init(_ host: String) {
        var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            $0.map(\.lowercasedASCII)
        }
        if labels.last?.isEmpty == true { labels.removeLast() }
        self.labels = labels
    }

    /// Whether `name`, a dNSName of a certificate, covers this host. As in browsers, an asterisk may stand only for the
    /// whole first label, with at least two more labels after it. `*.example.com` covers `a.example.com`, but neither
    /// `example.com` nor `a.b.example.com`. `a*.example.com`, `*.com` and `*` cover nothing. A name with a byte that no
    /// host name has covers nothing, and neither does a Common Name.
    package func isCovered(by name: some Collection<UInt8>) -> Bool {
        var parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == labels.count, labels.allSatisfy({ !$0.isEmpty }) else { return false }
        var expected = labels[...]
        if let first = parts.first, first.elementsEqual(CollectionOfOne(UInt8(ascii: "*"))), parts.count > 2 {
            parts.removeFirst()
            expected = expected.dropFirst()
        }
        return zip(parts, expected).allSatisfy { part, label in
            !part.isEmpty && part.lazy.map(\.lowercasedASCII).elementsEqual(label)
        }
    }
}
