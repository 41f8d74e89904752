// CertificateChain: the certificates that a server sent, and the faults in them.

/// A chain as a server sent it.
package struct CertificateChain: Sendable {
    /// The maximum number of certificates that are read. No real chain is longer.
    private static let maximumLength = 16

    private let certificates: [CertificateDetails?]
    /// Whether the rest of the chain is known, and not only the server's own certificate.
    private let isComplete: Bool

    /// - Parameter isComplete: whether these are all certificates that the server sent.
    package init(_ certificates: [[UInt8]], isComplete: Bool) {
        self.certificates = certificates.prefix(Self.maximumLength).map { CertificateDetails(der: $0) }
        self.isComplete = isComplete
    }

    /// The details of the server's own certificate.
    package var leaf: CertificateDetails? { certificates.first ?? nil }

    /// Why the chain was refused, the plainest reason first. Empty if only the rest of the chain can tell.
    /// - Parameters:
    ///   - roots: the trusted authorities, by the DER of their names.
    ///   - now: the time, in seconds since 1970.
    package func faults(roots: [[UInt8]: CertificateDetails], now: Int64) -> [CertificateFault] {
        guard let leaf else { return [.unreadable] }
        var faults = Self.faults(of: leaf, as: nil, now: now)
        var path = [leaf]
        var rest = certificates.dropFirst().compactMap { $0 }
        var root = roots[leaf.issuer]
        if leaf.isSelfIssued, root == nil { return faults + [.selfSigned] }
        while root == nil, let last = path.last, !last.isSelfIssued,
            let next = rest.firstIndex(where: { $0.subject == last.issuer })
        {
            let issuer = rest.remove(at: next)
            path.append(issuer)
            faults += Self.faults(of: issuer, as: issuer.subjectName, now: now)
            root = roots[issuer.issuer]
        }
        if let root {
            if path.last != root { path.append(root) }
            if root.notAfter < now { faults.append(.expired(root.subjectName, at: root.notAfter)) }
        } else if isComplete, let last = path.last {
            faults.append(last.isSelfIssued ? .unknownAuthority(last.subjectName) : .unknownIssuer(last.issuerName))
        }
        faults += Self.faults(ofAuthoritiesIn: path)
        // Below a trusted authority there is no certificate left that could tell another reason.
        if faults.isEmpty, isComplete || root != nil { faults.append(.doesNotVerify) }
        return faults
    }

    private static func faults(
        of certificate: CertificateDetails, as holder: CertificateFault.Holder, now: Int64
    ) -> [CertificateFault] {
        var faults: [CertificateFault] = []
        if certificate.notAfter < now { faults.append(.expired(holder, at: certificate.notAfter)) }
        if certificate.notBefore > now { faults.append(.notYetValid(holder, from: certificate.notBefore)) }
        if !certificate.mayBeServer { faults.append(.notForServers(holder)) }
        return faults
    }

    private static func faults(ofAuthoritiesIn path: [CertificateDetails]) -> [CertificateFault] {
        var faults: [CertificateFault] = []
        /// The number of certificates between this authority and the server's own. Self-issued ones do not count (RFC
        /// 5280 section 6.1.4).
        var between = 0
        for authority in path.dropFirst() {
            let name = authority.subjectName
            if authority.isAuthority != true || authority.maySignCertificates == false {
                faults.append(.notAnAuthority(name))
            } else if let most = authority.pathLength, between > most {
                faults.append(.tooLong(name, pathLength: most))
            }
            if let names = path.first?.hostNames, authority.mayBeCompared(with: names.count),
                let host = names.first(where: { !authority.maySpeak(for: $0) })
            {
                faults.append(.outOfBounds(name, host: host))
            }
            if !authority.isSelfIssued { between += 1 }
        }
        return faults
    }
}

extension CertificateDetails {
    /// Whether there are few enough names and constraints to compare each with each. A server chooses both.
    fileprivate func mayBeCompared(with names: Int) -> Bool {
        let constraints = (permittedHosts?.count ?? 0) + excludedHosts.count
        return names <= (1 << 16) / max(constraints, 1)
    }

    /// Whether the name constraints allow this host (RFC 5280 section 4.2.1.10).
    fileprivate func maySpeak(for host: String) -> Bool {
        let host = host.lowercasedASCII
        let isPermitted = permittedHosts?.contains { Self.host(host, isWithin: $0) } ?? true
        return isPermitted && !excludedHosts.contains { Self.host(host, isWithin: $0) }
    }

    private static func host(_ host: String, isWithin constraint: String) -> Bool {
        let constraint = constraint.lowercasedASCII
        if constraint.isEmpty || host == constraint { return true }
        return host.hasSuffix(constraint.hasPrefix(".") ? constraint : "." + constraint)
    }
}
