// HeadDiagnosis: explains what is wrong with a line that the scanner refused. It is not on the fast path.

import TsubameCore

/// Names the fault and its line. The text quotes no value, and no line whose name is in doubt, because either may hold
/// a credential.
struct HeadDiagnosis {
    /// The number of bytes that are examined if the input is no status line. The error quotes fewer, so that its text
    /// does not depend on whether the end of the line has arrived.
    static let prefixLength = 24
    private static let quotedPrefix = 20

    let section: HeadScanner.Section
    /// The section up to the end of the refused line, without its line feed.
    let bytes: UnsafeRawBufferPointer
    /// Where the refused line starts.
    let line: Int

    /// Whether the bytes are, or can become, the start of an HTTP status line.
    static func startsAsHTTP(_ bytes: UnsafeRawBufferPointer) -> Bool {
        zip(bytes, "HTTP/".utf8).allSatisfy { $0 == $1 }
    }

    /// Whether the bytes are a TLS alert (RFC 8446 section 6), with which a TLS server answers plain text.
    static func startsAsTLS(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: [0x15, 0x03]) }

    var error: WireError {
        // The scanner proved that line <= bytes.count. A slice beyond the end would trap.
        var content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(line))
        var endsInCRLF = false
        if content.last == 0x0D {
            content = UnsafeRawBufferPointer(rebasing: content.dropLast())
            endsInCRLF = true
        }
        if section == .trailers, !endsInCRLF {
            return .invalid("\(place) ends in a bare line feed")
        }
        return .invalid(line == 0 && section == .head ? statusLine(content) : field(content))
    }

    private var place: String {
        "line \(1 + bytes.prefix(line).count { $0 == 0x0A }) of \(section.words)"
    }

    private func statusLine(_ content: UnsafeRawBufferPointer) -> String {
        let quote = Quotation.of(content, upTo: Self.quotedPrefix)
        guard !content.isEmpty else { return "an empty line stands where the status line should be" }
        if Self.startsAsTLS(content) { return "the answer is no HTTP/1 but TLS: try https:// on this port" }
        if Self.startsAsHTTP2(bytes) {
            return "the answer is no HTTP/1 but HTTP/2, which this server speaks unasked (connection.httpVersion)"
        }
        guard Self.startsAsHTTP(content), content.count >= 5 else {
            return "the answer is no HTTP/1: it starts with \(quote)"
        }
        let parts = content.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        let version = UnsafeRawBufferPointer(rebasing: parts[0])
        guard version.count == 8, version[5] == 0x31, version[6] == 0x2E, isDigit(version[7]) else {
            return "\(Quotation.of(version, upTo: 16)) is no version of HTTP/1 (status line)"
        }
        guard parts.count > 1 else { return "the status line has no status" }
        let status = UnsafeRawBufferPointer(rebasing: parts[1])
        guard status.count == 3, status.allSatisfy(isDigit), status[0] != 0x30 else {
            return "\(Quotation.of(status, upTo: 16)) is no status from 100 to 999 (status line)"
        }
        if let byte = control(content) { return "the status line holds \(byte)" }
        return "\(quote) is no status line"
    }

    /// Whether the bytes are a SETTINGS frame on stream 0, with which an HTTP/2 server begins (RFC 9113 section 3.4).
    private static func startsAsHTTP2(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 9 && bytes[0] == 0 && bytes[3] == 4 && bytes[4] == 0 && bytes[5..<9].allSatisfy { $0 == 0 }
    }

    private func field(_ content: UnsafeRawBufferPointer) -> String {
        if let first = content.first, first == 0x20 || first == 0x09 {
            if let byte = control(content) { return "\(place) holds \(byte)" }
            return "\(place) starts with a blank, with no field before it to continue"
        }
        guard let colon = content.firstIndex(of: 0x3A) else {
            if let byte = control(content) { return "\(place) holds \(byte)" }
            return "\(place) has no colon"
        }
        let name = content[..<colon]
        guard let last = name.last else { return "\(place) has no field name before its colon" }
        if let wrong = name.first(where: { !ByteScan.isToken($0) }) {
            return last == 0x20 || last == 0x09
                ? "\(place) has a blank between the field name and its colon"
                : "\(place) has \(Quotation.of(wrong)) in its field name"
        }
        let quote = Quotation.of(UnsafeRawBufferPointer(rebasing: name), upTo: 40)
        if let byte = control(content) { return "the value of \(quote) holds \(byte) (\(place))" }
        return "\(place) is no field"
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private func control(_ content: UnsafeRawBufferPointer) -> String? {
        content.first { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }.map { byte in
            switch byte {
            case 0x0D: "a bare carriage return"
            case 0x00: "a NUL"
            default: "a control character (\(Quotation.of(byte)))"
            }
        }
    }
}
