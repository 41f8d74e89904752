// ReferenceHost: whether a name in a certificate covers the host that was asked for (RFC 9525 section 6.3).

/// A host name as certificates are compared with it.
package struct ReferenceHost: Sendable, Hashable {
    private let labels: [[UInt8]]

    /// - Parameter host: an A-label form; the root's dot may stand behind it.
    package init(_ host: String) {
        var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            $0.map(\.lowercasedASCII)
        }
        if labels.last?.isEmpty == true { labels.removeLast() }
        self.labels = labels
    }

    /// Whether `name`, a dNSName of a certificate, is this host's. An asterisk may stand only for the whole first label,
    /// with two more labels behind it, as in browsers: `*.example.com` covers `a.example.com`, and neither `example.com`
    /// nor `a.b.example.com`; `a*.example.com`, `*.com` and `*` cover nothing. Nor does a name with a byte that is in no
    /// host name, or a Common Name.
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
