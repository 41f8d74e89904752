// URIParser: parses absolute URIs and relative references (RFC 3986). It is strict where leniency has enabled attacks.

/// A fault in a URI. Its text continues a sentence that begins with "the URL …".
package struct URIProblem: Error {
    package let reason: String
    /// The way to correct the URI.
    package let advice: String?

    package init(_ reason: String, advice: String? = nil) {
        self.reason = reason
        self.advice = advice
    }
}

package enum URIParser {
    /// The bytes of a path or query that are sent as they are written.
    private static let kept = ASCIISet.unreserved.union(ASCIISet("!$&'()*+,;=:@/?%[]"))

    /// - Parameter keepingDotSegments: whether `.` and `..` stay in the path as they are written.
    package static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, keepingDotSegments: Bool = false
    ) throws(URIProblem) -> TargetURI {
        var at: Int
        let isSecure: Bool
        if starts(bytes, with: "http://") {
            (isSecure, at) = (false, 7)
        } else if starts(bytes, with: "https://") {
            (isSecure, at) = (true, 8)
        } else if bytes.isEmpty {
            throw URIProblem("is empty", advice: "write it as http://host/path")
        } else {
            throw URIProblem("does not start with http:// or https://", advice: "write it as http://host/path")
        }
        let authorityStart = at
        var lastAt: Int?
        while at < bytes.count {
            let byte = bytes[at]
            if byte == 0x2F || byte == 0x3F || byte == 0x23 { break }
            if byte == 0x5C {
                throw URIProblem("has a backslash in its authority", advice: "separate with /; in a password write %5C")
            }
            if byte <= 0x20 || byte == 0x7F {
                throw URIProblem(
                    "has a space or control character in its authority",
                    advice: "leave it out; in a user or password write it percent-encoded")
            }
            if byte == 0x40 {
                if lastAt != nil {
                    throw URIProblem("has two @ before its host", advice: "write %40 for an @ in user or password")
                }
                lastAt = at
            }
            at += 1
        }
        let authorityEnd = at
        var userinfo: String?
        var hostStart = authorityStart
        if let lastAt {
            // Empty userinfo, or a colon alone, names neither a user nor a password.
            let written = String(decoding: bytes[authorityStart..<lastAt], as: UTF8.self)
            if !written.isEmpty, written != ":" { userinfo = written }
            hostStart = lastAt + 1
        }
        let written = UnsafeBufferPointer(rebasing: bytes[hostStart..<authorityEnd])
        let host = try HostParser.parse(written)
        let origin = try origin(of: written, host, isSecure: isSecure)

        let encoded = try encodeTarget(bytes, from: authorityEnd)
        var (target, pathLength) = (encoded.target, encoded.pathLength)
        if !keepingDotSegments, DotSegments.mayOccur(in: bytes[authorityEnd..<encoded.end]) {
            let path = DotSegments.removed(from: target.utf8.prefix(pathLength))
            target = path + Substring(target.utf8.dropFirst(pathLength))
            pathLength = path.utf8.count
        }
        let fragment = try fragment(bytes, from: encoded.end)
        return TargetURI(
            origin: origin, authority: authority(of: origin, written, host), target: target, pathLength: pathLength,
            fragment: fragment, userinfo: userinfo)
    }

    /// The origin's authority. A copy from the URL is cheaper than building it, if the URL has it in the right form.
    private static func authority(
        of origin: Origin, _ written: UnsafeBufferPointer<UInt8>, _ host: HostParser.Host
    ) -> String {
        guard host.isVerbatim else { return origin.authority }
        if origin.port == origin.defaultPort { return origin.host }
        // The port may have leading zeros.
        let port = host.end + 1
        return port < written.count && written[port] != 0x30 ? String(ascii: written) : origin.authority
    }

    /// The path and query from `start` up to a fragment or the end, percent-encoded where necessary.
    package static func encodeTarget(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) throws(URIProblem) -> (target: String, pathLength: Int, end: Int) {
        let kept = Self.kept
        var end = start
        var extra = 0
        while end < bytes.count, bytes[end] != 0x23 {
            if !kept.contains(bytes[end]) {
                switch bytes[end] {
                case 0x00..<0x20, 0x7F: throw .control
                case 0x5C:
                    throw URIProblem(
                        "has a backslash in its path or query", advice: "separate with /, or write it as %5C")
                default: extra += 2
                }
            }
            end += 1
        }
        let needsSlash = start == end || bytes[start] != 0x2F
        if extra == 0, !needsSlash {
            let target = UnsafeBufferPointer(rebasing: bytes[start..<end])
            return (String(ascii: target), target.firstIndex(of: 0x3F) ?? target.count, end)
        }
        let capacity = end - start + extra + (needsSlash ? 1 : 0)
        var pathLength = capacity
        let target = String(unsafeUninitializedCapacity: capacity) { output in
            var to = 0
            func put(_ byte: UInt8) {
                if to < output.count { output[to] = byte }
                to += 1
            }
            if needsSlash { put(0x2F) }
            var sawQuery = false
            for index in start..<end {
                let byte = bytes[index]
                if byte == 0x3F, !sawQuery {
                    sawQuery = true
                    pathLength = to
                }
                if kept.contains(byte) {
                    put(byte)
                } else {
                    put(0x25)
                    put(hexadecimal(byte >> 4))
                    put(hexadecimal(byte & 15))
                }
            }
            return Swift.min(to, output.count)
        }
        return (target, pathLength, end)
    }

    private static func fragment(_ bytes: UnsafeBufferPointer<UInt8>, from end: Int) throws(URIProblem) -> String? {
        guard end < bytes.count else { return nil }
        for byte in bytes[(end + 1)...] where byte < 0x20 || byte == 0x7F {
            throw .control
        }
        return String(decoding: bytes[(end + 1)...], as: UTF8.self)
    }

    /// Parses `host`, `host:port` or `[v6]:port`. ``HostParser`` reads the host.
    package static func authority(
        _ bytes: UnsafeBufferPointer<UInt8>, isSecure: Bool
    ) throws(URIProblem) -> Origin {
        try origin(of: bytes, HostParser.parse(bytes), isSecure: isSecure)
    }

    private static func origin(
        of authority: UnsafeBufferPointer<UInt8>, _ host: HostParser.Host, isSecure: Bool
    ) throws(URIProblem) -> Origin {
        var port: UInt16 = isSecure ? 443 : 80
        if host.end < authority.count {
            let digits = authority[(host.end + 1)...]
            if !digits.isEmpty {
                var value = 0
                for byte in digits {
                    guard byte >= 0x30, byte <= 0x39, value <= 65_535 else { throw .port }
                    value = value * 10 + Int(byte - 0x30)
                }
                guard value >= 1, value <= 65_535 else { throw .port }
                port = UInt16(truncatingIfNeeded: value)
            }
        }
        return Origin(isSecure: isSecure, host: host.text, port: port)
    }

    private static func starts(_ bytes: UnsafeBufferPointer<UInt8>, with prefix: StaticString) -> Bool {
        let wanted = UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        guard bytes.count >= wanted.count else { return false }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<wanted.count])
            .equalsIgnoringCase(wanted)
    }

    private static func hexadecimal(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x37 + nibble }
}

extension URIProblem {
    fileprivate static let control = URIProblem(
        "has a control character in it", advice: "leave it out, or write it percent-encoded")
    fileprivate static let port = URIProblem(
        "has a port that is not a number from 1 to 65535",
        advice: "in a user or password write / ? # @ and : percent-encoded")
}

extension String {
    /// A text of bytes that are known to be ASCII. Decoding them as UTF-8 takes three times as long.
    init(ascii bytes: UnsafeBufferPointer<UInt8>) {
        self.init(unsafeUninitializedCapacity: bytes.count) { $0.initialize(fromContentsOf: bytes) }
    }
}
