// HTTP2RequestFields: the fields of a request as HTTP/2 has them, looked at before any of them is encoded.

import HTTPTypes
import TsubameCore

/// Collects first and encodes afterwards: what is encoded has changed the tables on both sides, and cannot be taken back
/// when a later field turns out to be wrong.
struct HTTP2RequestFields {
    private struct Field {
        let name: Range<Int>
        let value: Range<Int>
        let indexing: HPACKEncoder.Indexing
    }

    /// All names and values, one behind the other.
    private var bytes: [UInt8] = []
    private var fields: [Field] = []

    /// The fields of a head. What only concerns an HTTP/1 connection is left out (RFC 9113 section 8.2.2); a Host of the
    /// caller's becomes `:authority`; Cookie fields are joined to one.
    mutating func collect(
        method: String, isSecure: Bool, authority: String, target: String, headers: HTTPFields, length: Int64?
    ) throws(WireError) {
        clear()
        try RequestValidation.check(method: method)
        try RequestValidation.check(target: target)
        add(":method", method, .indexed)
        add(":scheme", isSecure ? "https" : "http", .indexed)
        let host = headers.contains(Self.host) ? RequestValidation.host(headers) : nil
        if host != nil { try RequestValidation.check(headers) }
        try RequestValidation.check(authority: host ?? authority)
        add(":authority", host ?? authority, .indexed)
        add(":path", target, .notIndexed)
        guard headers.count <= RequestValidation.maxFields else { return try RequestValidation.check(headers) }
        var hasCookie = false
        for index in 0..<headers.count {
            let field = headers[index]
            switch field.name.canonicalName {
            case "host", "connection", "proxy-connection", "keep-alive", "upgrade", "http2-settings",
                "proxy-authorization":
                continue
            case "te":
                if field.value.lowercased() == "trailers" { try add(field, .indexed, of: headers) }
            case "content-length", "transfer-encoding": try RequestValidation.check(headers)
            case "cookie":
                if !hasCookie { try addCookies(headers, from: index) }
                hasCookie = true
            case "authorization": try add(field, .neverIndexed, of: headers)
            case "content-range", "range", "if-none-match", "if-modified-since", "if-match", "if-range",
                "if-unmodified-since", "idempotency-key", "content-digest", "repr-digest":
                try add(field, .notIndexed, of: headers)
            default: try add(field, .indexed, of: headers)
            }
        }
        if let length { add("content-length", String(length), .notIndexed) }
    }

    /// - Parameter trailers: looked at by ``TrailerSection/lines(of:)`` before.
    mutating func collect(trailers: HTTPFields) throws(WireError) {
        clear()
        for field in trailers { try add(field, .notIndexed, of: trailers) }
    }

    func encode(with encoder: inout HPACKEncoder, into output: inout [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            for field in fields {
                encoder.encode(
                    UnsafeRawBufferPointer(rebasing: bytes[field.name]),
                    UnsafeRawBufferPointer(rebasing: bytes[field.value]), field.indexing, into: &output)
            }
        }
    }

    func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            for field in fields {
                body(
                    UnsafeRawBufferPointer(rebasing: bytes[field.name]),
                    UnsafeRawBufferPointer(rebasing: bytes[field.value]))
            }
        }
    }

    private static let host = HTTPField.Name("Host") ?? .accept

    private mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ name: String, _ value: String, _ indexing: HPACKEncoder.Indexing) {
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let middle = bytes.count
        bytes.append(contentsOf: value.utf8)
        fields.append(Field(name: start..<middle, value: middle..<bytes.count, indexing: indexing))
    }

    /// - Parameter headers: among which the reason is looked for if it must not be sent.
    private mutating func add(
        _ field: HTTPField, _ indexing: HPACKEncoder.Indexing, of headers: HTTPFields
    ) throws(WireError) {
        let start = bytes.count
        bytes.append(contentsOf: field.name.canonicalName.utf8)
        let middle = bytes.count
        field.withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
        guard isSound(start, middle, bytes.count) else {
            try RequestValidation.check(headers)
            throw WireError(.invalidRequest, "\(field.name.rawName) cannot be sent")
        }
        fields.append(Field(name: start..<middle, value: middle..<bytes.count, indexing: indexing))
    }

    /// One field, as RFC 6265 section 5.4 has it. A short one is not kept in any table: there it could be guessed.
    private mutating func addCookies(_ headers: HTTPFields, from first: Int) throws(WireError) {
        let start = bytes.count
        bytes.append(contentsOf: "cookie".utf8)
        let middle = bytes.count
        for index in first..<headers.count where headers[index].name == .cookie {
            if index > first { bytes.append(contentsOf: "; ".utf8) }
            headers[index].withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
        }
        guard isSound(start, middle, bytes.count) else {
            try RequestValidation.check(headers)
            throw WireError(.invalidRequest, "Cookie cannot be sent")
        }
        fields.append(
            Field(
                name: start..<middle, value: middle..<bytes.count,
                indexing: bytes.count &- middle < 20 ? .neverIndexed : .indexed))
    }

    private func isSound(_ start: Int, _ middle: Int, _ end: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, middle > start else { return false }
            guard ByteScan.tokenEnd(base, start, middle) == middle else { return false }
            var at = middle
            while true {
                at = ByteScan.firstControl(base, at, end)
                guard at < end else { return true }
                guard ByteScan.byte(base, at) == 0x09 else { return false }
                at &+= 1
            }
        }
    }
}
