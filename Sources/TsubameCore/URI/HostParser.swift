// HostParser: turns the host of a URL into the one form that DNS, TLS, cookies and the pool use.

/// Names come out in lower case and in ASCII, and addresses in their canonical forms. A host is therefore compared,
/// looked up and checked in one form, for every way to write it.
enum HostParser {
    /// In bytes, without the dot of the root at the end (RFC 1035 section 2.3.4).
    private static let longestName = 253
    private static let longestLabel = 63
    /// In bytes of UTF-8; no longer name could fit into the limit of DNS.
    private static let longestUnicode = 1024

    struct Host {
        let text: String
        /// The number of bytes that it was written with.
        let end: Int
        /// Whether it is a name or an IPv4 address that was written as it is.
        var isVerbatim = false
    }

    /// Reads the host, from the start up to a colon.
    ///
    /// A name in ASCII costs one look at its bytes. A name with percent-escapes is decoded first, as in browsers and
    /// curl. If the name is not ASCII then, or has a label that starts with `xn--`, it goes through UTS 46. A name that
    /// ends in a number is an IPv4 address.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(URIProblem) -> Host {
        guard let first = bytes.first else { throw .noHost }
        if first == 0x5B {
            guard let close = bytes.firstIndex(of: 0x5D) else {
                throw URIProblem("has an unclosed [ in its host", advice: "put ] after the IPv6 address")
            }
            guard close + 1 == bytes.count || bytes[close + 1] == 0x3A else {
                throw URIProblem("has text after its IPv6 address", advice: "put a colon before the port")
            }
            return Host(text: try IPv6Parser.canonical(bytes[1..<close]), end: close + 1)
        }
        var at = 0
        var (hasUpperCase, isPlain) = (false, true)
        /// Where the current label begins, and where the one before it begins.
        var (label, previous) = (0, 0)
        while at < bytes.count, bytes[at] != 0x3A {
            let byte = bytes[at]
            switch byte {
            case 0x61...0x7A, 0x30...0x39, 0x5F, 0x7E, 0x21, 0x24, 0x26...0x29, 0x2A...0x2C, 0x3B, 0x3D: break
            case 0x41...0x5A: hasUpperCase = true
            case 0x2D:
                if at == label + 3, bytes[at - 1] == 0x2D, bytes[label] | 0x20 == 0x78, bytes[label + 1] | 0x20 == 0x6E
                {
                    isPlain = false
                }
            case 0x2E:
                guard at > label else { throw .emptyLabel }
                (previous, label) = (label, at + 1)
            case 0x25, 0x80...: isPlain = false
            default: throw .forbidden(byte)
            }
            at += 1
        }
        guard at > 0 else { throw .noHost }
        let written = UnsafeBufferPointer(rebasing: bytes[..<at])
        guard isPlain else { return Host(text: try unescaped(written), end: at) }
        if at > longestLabel { try checkLengths(written) }
        let last = label == at ? previous : label
        if bytes[last] >= 0x30, bytes[last] <= 0x39, IPv4Parser.isNumber(written[last..<(label == at ? at - 1 : at)]) {
            if !IPv4Parser.isCanonical(written) { return Host(text: try IPv4Parser.canonical(written), end: at) }
        } else if hasUpperCase {
            return Host(text: String(ascii: written).lowercased(), end: at)
        }
        return Host(text: String(ascii: written), end: at, isVerbatim: true)
    }

    /// Reads a name with percent-escapes, with characters other than ASCII, or with A-labels.
    private static func unescaped(_ written: UnsafeBufferPointer<UInt8>) throws(URIProblem) -> String {
        // An escape writes one byte as three.
        guard written.count <= 3 * longestUnicode else { throw .longName }
        let unescaped = try removingEscapes(written)
        guard unescaped.count <= longestUnicode else { throw .longName }
        guard let name = String(validating: unescaped, as: UTF8.self) else {
            throw URIProblem("has a host that is not UTF-8", advice: "write the host's A-labels (xn--…)")
        }
        let ascii = try IDNA.toASCII(name.unicodeScalars)
        var start = 0
        for (index, byte) in ascii.enumerated() {
            switch byte {
            case 0x61...0x7A, 0x30...0x39, 0x2D, 0x5F, 0x7E, 0x21, 0x24, 0x26...0x29, 0x2A...0x2C, 0x3B, 0x3D: break
            case 0x2E:
                guard index > start else { throw .emptyLabel }
                start = index + 1
            default: throw .forbidden(byte)
            }
        }
        // UTS 46 may have ignored every character of the name.
        guard !ascii.isEmpty else { throw .noHost }
        try checkLengths(ascii)
        let labels = ascii.split(separator: 0x2E)
        if let last = labels.last, IPv4Parser.isNumber(last) { return try IPv4Parser.canonical(ascii) }
        return String(decoding: ascii, as: UTF8.self)
    }

    private static func removingEscapes(_ written: UnsafeBufferPointer<UInt8>) throws(URIProblem) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(written.count)
        var rest = written[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                output.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(nibble), let low = rest.popFirst().flatMap(nibble) else {
                throw URIProblem("has a % in its host that is not a percent-escape", advice: "leave it out")
            }
            output.append(high << 4 | low)
        }
        return output
    }

    /// Refuses a name that DNS cannot look up, so that the error does not have to come from a resolver.
    private static func checkLengths(_ name: some BidirectionalCollection<UInt8>) throws(URIProblem) {
        let isAbsolute = name.last == 0x2E
        guard name.count <= longestName + (isAbsolute ? 1 : 0) else { throw .longName }
        for label in name.split(separator: 0x2E) where label.count > longestLabel { throw .longLabel }
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}

extension URIProblem {
    fileprivate static let noHost = URIProblem("has no host", advice: "write it as http://host/path")
    fileprivate static let emptyLabel = URIProblem(
        "has an empty label in its host", advice: "one dot stands between two labels")
    fileprivate static let longName = URIProblem("has a host longer than the 253 bytes that a name may have")
    static let longLabel = URIProblem("has a label in its host that is longer than 63 bytes")

    /// The problem of an ASCII byte that no host may hold (RFC 3986 section 3.2.2).
    fileprivate static func forbidden(_ byte: UInt8) -> URIProblem {
        let shown = byte > 0x20 && byte < 0x7F ? String(Unicode.Scalar(byte)) : "0x" + String(byte, radix: 16)
        return URIProblem(
            "has a character in its host that no host may hold (\(shown))",
            advice: "a host is a name of letters, digits, hyphens and dots, or an address")
    }
}
