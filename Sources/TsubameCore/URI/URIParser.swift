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
    /// The treatment of each byte in a path or query.
    private static let classes: [UInt8] = {
        // 0: percent-encoded, 1: kept, 2: an error
        var table = [UInt8](repeating: 0, count: 256)
        for byte in UInt8(0)..<0x20 { table[Int(byte)] = 2 }
        table[0x7F] = 2
        table[0x5C] = 2
        let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?%[]"
        for byte in plain.utf8 { table[Int(byte)] = 1 }
        return table
    }()

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
        let origin = try authority(written, isSecure: isSecure)

        let encoded = try encodeTarget(bytes, from: authorityEnd)
        var (target, pathLength) = (encoded.target, encoded.pathLength)
        if !keepingDotSegments, DotSegments.mayOccur(in: bytes[authorityEnd..<encoded.end]) {
            let path = DotSegments.removed(from: target.utf8.prefix(pathLength))
            target = path + Substring(target.utf8.dropFirst(pathLength))
            pathLength = path.utf8.count
        }
        let fragment = try fragment(bytes, from: encoded.end)
        return TargetURI(
            origin: origin, authority: authority(of: origin, written), target: target, pathLength: pathLength,
            fragment: fragment, userinfo: userinfo)
    }

    /// The origin's authority. A copy from the URL is cheaper than building it, if the URL has it in the right form.
    private static func authority(of origin: Origin, _ written: UnsafeBufferPointer<UInt8>) -> String {
        let hostLength = origin.host.utf8.count
        guard let first = written.first, first != 0x5B else { return origin.authority }
        if origin.port == origin.defaultPort { return origin.host }
        // The URL may have the host in another form, or a port with leading zeros.
        guard written.count > hostLength + 1, written[hostLength] == 0x3A, written[hostLength + 1] != 0x30,
            written.begins(with: origin.host)
        else { return origin.authority }
        return String(ascii: written)
    }

    /// The path and query from `start` up to a fragment or the end, percent-encoded where necessary.
    package static func encodeTarget(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) throws(URIProblem) -> (target: String, pathLength: Int, end: Int) {
        var end = start
        var extra = 0
        while end < bytes.count, bytes[end] != 0x23 {
            switch classes[Int(bytes[end])] {
            case 0: extra += 2
            case 1: break
            default:
                if bytes[end] != 0x5C { throw .control }
                throw URIProblem("has a backslash in its path or query", advice: "separate with /, or write it as %5C")
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
                if classes[Int(byte)] == 1 {
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
        let (host, at) = try HostParser.parse(bytes)
        var port: UInt16 = isSecure ? 443 : 80
        if at < bytes.count {
            let digits = bytes[(at + 1)...]
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
        return Origin(isSecure: isSecure, host: host, port: port)
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

extension UnsafeBufferPointer<UInt8> {
    /// Does the same as `starts(with: text.utf8)` at a tenth of its cost.
    fileprivate func begins(with text: String) -> Bool {
        var text = text
        return text.withUTF8 { text in
            guard text.count <= count else { return false }
            for index in 0..<text.count where text[index] != self[index] { return false }
            return true
        }
    }
}
