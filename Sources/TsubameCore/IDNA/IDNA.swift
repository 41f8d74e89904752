// IDNA: from a host name in any script to the one in ASCII that the network knows (UTS 46).

/// UTS 46 section 4.2, ToASCII, as WHATWG's URL standard uses it: non-transitional, with CheckBidi and CheckJoiners,
/// without CheckHyphens and UseSTD3ASCIIRules. Which ASCII characters a host may hold, and how long it may be, is looked
/// at where hosts are parsed.
enum IDNA {
    /// In lower case, with an A-label in place of every label that is not ASCII.
    static func toASCII(_ name: some Sequence<Unicode.Scalar>) throws(URIProblem) -> [UInt8] {
        var mapped: [UInt32] = []
        for scalar in name { IDNAMapping.table.map(scalar.value, into: &mapped) }
        let labels = NormalizationFormC.table.normalized(mapped)
            .split(separator: 0x2E, omittingEmptySubsequences: false)
        var decoded: [IDNALabel] = []
        for label in labels { decoded.append(try IDNALabel(Array(label))) }
        if decoded.contains(where: \.isRightToLeft), !decoded.allSatisfy(\.obeysBidiRule) {
            throw URIProblem(
                "has a host that mixes directions of writing as no name may (RFC 5893 section 2)",
                advice: "check the order and the digits of its labels")
        }
        return Array(decoded.map(\.ascii).joined(separator: [UInt8(ascii: ".")]))
    }
}
