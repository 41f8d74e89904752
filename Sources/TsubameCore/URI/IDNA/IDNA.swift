// IDNA: converts a host name in any script to the ASCII name that DNS uses (UTS 46).

/// ToASCII (UTS 46 section 4.2) as the WHATWG URL standard uses it: non-transitional, with CheckBidi and CheckJoiners,
/// and without CheckHyphens and UseSTD3ASCIIRules. ``HostParser`` checks the length of a host, and which ASCII
/// characters it holds.
enum IDNA {
    /// The name in lower case, with an A-label in place of each label that is not ASCII.
    static func toASCII(_ name: some Sequence<Unicode.Scalar>) throws(URIProblem) -> [UInt8] {
        var mapped: [UInt32] = []
        for scalar in name { IDNAMapping.table.map(scalar.value, into: &mapped) }
        let labels = NormalizationFormC.table.normalized(mapped)
            .split(separator: 0x2E, omittingEmptySubsequences: false)
        var decoded: [IDNALabel] = []
        for label in labels { decoded.append(try IDNALabel(Array(label))) }
        if decoded.contains(where: \.isRightToLeft), !decoded.allSatisfy(\.obeysBidiRule) {
            throw URIProblem(
                "has a host that mixes writing directions in a way that no name may (RFC 5893 section 2)",
                advice: "check the order and the digits of its labels")
        }
        return Array(decoded.map(\.ascii).joined(separator: [UInt8(ascii: ".")]))
    }
}
