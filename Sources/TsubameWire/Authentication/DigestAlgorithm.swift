// DigestAlgorithm: the hash functions of Digest authentication (RFC 7616 section 3.3).

package struct DigestAlgorithm: Sendable, Hashable {
    package enum Function: String, Sendable, Hashable, CaseIterable, Comparable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512Half = "SHA-512-256"
        /// Not registered, but in use.
        case sha512 = "SHA-512"

        /// Weaker functions sort first.
        package static func < (left: Function, right: Function) -> Bool { left.strength < right.strength }

        private var strength: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package let function: Function
    /// Whether the first request under a nonce makes a key for the requests that follow (`-sess`).
    package let isSession: Bool

    /// nil if the algorithm is unknown. Without a name, the algorithm is MD5.
    package init?(_ name: String?) {
        guard let name else {
            (function, isSession) = (.md5, false)
            return
        }
        var upper = name.uppercased()
        isSession = upper.hasSuffix("-SESS")
        if isSession { upper.removeLast(5) }
        guard let function = Function(rawValue: upper) else { return nil }
        self.function = function
    }

    /// The digest in lower-case hexadecimal digits.
    package func hash(_ bytes: [UInt8]) -> String {
        let digest =
            switch function {
            case .md5: MD5.digest(bytes)
            case .sha256: SHA256.digest(bytes)
            case .sha512Half: SHA512.digest256(bytes)
            case .sha512: SHA512.digest(bytes)
            }
        return Hexadecimal.text(digest)
    }

    /// The digest of the parts, joined by colons.
    package func hash(_ parts: String...) -> String { hash(Array(parts.joined(separator: ":").utf8)) }
}
