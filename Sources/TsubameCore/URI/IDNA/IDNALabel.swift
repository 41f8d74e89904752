// IDNALabel: one valid label of a host name (UTS 46 section 4.1, Validity Criteria).

struct IDNALabel {
    /// The label in Unicode.
    let scalars: [UInt32]
    /// The label as it is sent: an A-label if it is not ASCII.
    let ascii: [UInt8]

    private static let marks = CodePointRuns(IDNATableData.marks, base: 2)
    private static let prefix: [UInt32] = [0x78, 0x6E, 0x2D, 0x2D]
    /// In bytes (RFC 1035 section 2.3.4).
    private static let maximum = 63

    /// - Parameter label: a label that is mapped, and in Normalization Form C.
    init(_ label: [UInt32]) throws(URIProblem) {
        if label.starts(with: Self.prefix) {
            let bytes = label.map { UInt8(truncatingIfNeeded: $0) }
            // A longer label is refused in any case, and decoding it would take time.
            guard label.count <= Self.maximum, label.allSatisfy({ $0 < 0x80 }),
                let decoded = Punycode.decode(bytes.dropFirst(Self.prefix.count)),
                decoded.contains(where: { $0 >= 0x80 }), Punycode.encode(decoded) == Array(bytes.dropFirst(4)),
                NormalizationFormC.table.normalized(decoded) == decoded
            else {
                throw URIProblem(
                    "has a label in its host that starts with xn-- and is no A-label",
                    advice: "write the label in Unicode, or as it was registered")
            }
            (scalars, ascii) = (decoded, bytes)
        } else {
            scalars = label
            if label.allSatisfy({ $0 < 0x80 }) {
                ascii = label.map { UInt8(truncatingIfNeeded: $0) }
            } else {
                // Every scalar takes at least one byte.
                guard label.count <= Self.maximum, let encoded = Punycode.encode(label) else { throw .longLabel }
                ascii = "xn--".utf8 + encoded
            }
        }
        try check()
    }

    private func check() throws(URIProblem) {
        guard let first = scalars.first else { return }
        if scalars.starts(with: Self.prefix) {
            throw URIProblem(
                "has a label in its host that is an A-label of an A-label", advice: "write it as it was registered")
        }
        if Self.marks[first] > 0 {
            throw URIProblem(
                "has a label in its host that starts with a combining mark (\(Self.name(first)))",
                advice: "put the letter that it belongs to in front of it")
        }
        for (index, scalar) in scalars.enumerated() {
            // Punycode may decode to a dot.
            guard scalar != 0x2E, IDNAMapping.table.isValid(scalar) else {
                throw URIProblem(
                    "has \(Self.name(scalar)) in its host, which no host name may hold",
                    advice: "leave it out, or write what it stands for")
            }
            if scalar == IDNAJoiner.nonJoiner || scalar == IDNAJoiner.joiner,
                !IDNAJoiner.isAllowed(at: index, in: scalars)
            {
                throw URIProblem(
                    "has \(Self.name(scalar)) in its host where it joins nothing (RFC 5892 appendix A)",
                    advice: "leave out the invisible character")
            }
        }
    }

    /// Whether the label makes its name a right-to-left one.
    var isRightToLeft: Bool { IDNABidi.isRightToLeft(scalars) }

    var obeysBidiRule: Bool { IDNABidi.obeysRule(scalars) }

    /// The number of a character, such as `U+200D`. Many characters cannot be seen, or look like others.
    private static func name(_ scalar: UInt32) -> String {
        let digits = String(scalar, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: Swift.max(4 - digits.utf8.count, 0)) + digits
    }
}
