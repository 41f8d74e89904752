// HTTP2RequestFields: the fields of a request in their HTTP/2 form, checked before any of them is encoded.

import HTTPTypes
import TsubameCore

/// Collects all fields before the first is encoded. Encoding changes the tables on both sides, and cannot be undone
/// when a later field turns out to be wrong.
struct HTTP2RequestFields {
    private struct Field {
        let name: Range<Int>
        let value: Range<Int>
        let indexing: HPACKEncoder.Indexing
    }

    /// The number of pseudo-fields of a head. They come before all other fields.
    private static var pseudoFields: Int { 4 }
    private static var pathIndex: Int { 3 }

    /// All names and values, one after the other.
    private var bytes: [UInt8] = []
    private var fields: [Field] = []

    /// Collects the fields of a head. Fields that concern only an HTTP/1 connection are left out (RFC 9113 section
    /// 8.2.2). A Host field of the caller becomes `:authority`. Cookie fields are joined into one.
    mutating func collect(
        method: String, isSecure: Bool, authority: String, target: String, headers: HTTPFields, length: Int64?
    ) throws(WireError) {
        clear()
        try RequestValidation.check(method: method)
        add(":method", method, .indexed)
        add(":scheme", isSecure ? "https" : "http", .indexed)
        let host = headers.contains(.host) ? RequestValidation.host(headers) : nil
        if host != nil { try RequestValidation.check(headers) }
        try RequestValidation.check(authority: host ?? authority)
        add(":authority", host ?? authority, .indexed)
        add(":path", target, .notIndexed)
        guard Self.isPath(target) else { return try RequestValidation.check(target: target) }
        guard headers.count <= RequestValidation.maxFields else { return try RequestValidation.check(headers) }
        var hasCookie = false
        var nominated: [String] = []
        for index in 0..<headers.count {
            let start = bytes.count
            bytes.append(contentsOf: headers[index].name.canonicalName.utf8)
            switch Treatment(of: bytes, from: start) {
            case .leftOut: bytes.removeLast(bytes.count &- start)
            case .connection:
                bytes.removeLast(bytes.count &- start)
                nominated += headers[index].value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(
                    String.init)
            case .forbidden: try RequestValidation.check(headers)
            case .cookie where hasCookie: bytes.removeLast(bytes.count &- start)
            case .cookie:
                hasCookie = true
                try addCookies(headers, from: index, nameAt: start)
            case .te:
                if headers[index].value.lowercased() == "trailers" {
                    try addValue(headers[index], .indexed, nameAt: start, of: headers)
                } else {
                    bytes.removeLast(bytes.count &- start)
                }
            case .sent(let indexing): try addValue(headers[index], indexing, nameAt: start, of: headers)
            }
        }
        if !nominated.isEmpty { leaveOut(nominated) }
        guard let length else { return }
        try RequestValidation.check(.length(length))
        add("content-length", String(length), .notIndexed)
    }

    /// - Parameter trailers: fields that ``TrailerSection/lines(of:)`` has checked.
    mutating func collect(trailers: HTTPFields) throws(WireError) {
        clear()
        for field in trailers {
            let start = bytes.count
            bytes.append(contentsOf: field.name.canonicalName.utf8)
            try addValue(field, .notIndexed, nameAt: start, of: trailers)
        }
    }

    /// - Returns: where the output has the path of a head. Trailers have none.
    @discardableResult
    func encode(with encoder: inout HPACKEncoder, into output: inout [UInt8]) -> Range<Int> {
        bytes.withUnsafeBytes { bytes in
            var path = 0..<0
            for (index, field) in fields.enumerated() {
                let start = output.count
                encoder.encode(
                    UnsafeRawBufferPointer(rebasing: bytes[field.name]),
                    UnsafeRawBufferPointer(rebasing: bytes[field.value]), field.indexing, into: &output)
                if index == Self.pathIndex { path = start..<output.count }
            }
            return path
        }
    }

    static func encode(path: String, with encoder: inout HPACKEncoder, into output: inout [UInt8]) {
        var path = path
        path.withUTF8 { path in
            let name: StaticString = ":path"
            encoder.encode(
                UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
                UnsafeRawBufferPointer(path), .notIndexed, into: &output)
        }
    }

    /// Whether the text can be sent as a path.
    static func isPath(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let base = bytes.baseAddress, bytes.count > 0 else { return false }
            return ByteScan.firstInvisible(UnsafeRawPointer(base), 0, bytes.count) == bytes.count
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

    /// - Parameters:
    ///   - start: where the name of the field begins in `bytes`.
    ///   - headers: all fields of the request. If this field must not be sent, they are checked to find the reason.
    private mutating func addValue(
        _ field: HTTPField, _ indexing: HPACKEncoder.Indexing, nameAt start: Int, of headers: HTTPFields
    ) throws(WireError) {
        let middle = bytes.count
        appendValue(of: field)
        guard isSound(start, middle, bytes.count) else {
            try RequestValidation.check(headers)
            throw WireError(.invalidRequest, "\(field.name.rawName) cannot be sent")
        }
        fields.append(Field(name: start..<middle, value: middle..<bytes.count, indexing: indexing))
    }

    /// Adds all Cookie fields as one field (RFC 6265 section 5.4). A short one is never indexed, because its value
    /// could be guessed in a table.
    private mutating func addCookies(
        _ headers: HTTPFields, from first: Int, nameAt start: Int
    ) throws(WireError) {
        let middle = bytes.count
        for index in first..<headers.count where headers[index].name == .cookie {
            if index > first { bytes.append(contentsOf: "; ".utf8) }
            appendValue(of: headers[index])
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

    /// Removes the fields that the caller's Connection names. They are for the next hop only (RFC 9110 section 7.6.1).
    private mutating func leaveOut(_ names: [String]) {
        // Connection cannot name pseudo-fields.
        let regular = fields.dropFirst(Self.pseudoFields).filter { field in
            !names.contains { $0.utf8.elementsEqual(bytes[field.name]) }
        }
        fields.removeLast(fields.count &- Self.pseudoFields)
        fields += regular
    }

    /// Appends the value without the blanks around it. They have no meaning in HTTP/1, and HTTP/2 does not allow them
    /// (RFC 9113 section 8.2.1).
    private mutating func appendValue(of field: HTTPField) {
        field.withUnsafeBytesOfValue { value in
            var (start, end) = (0, value.count)
            while start < end, Self.isBlank(value[start]) { start &+= 1 }
            while end > start, Self.isBlank(value[end &- 1]) { end &-= 1 }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: value[start..<end]))
        }
    }

    @inline(__always)
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func isSound(_ start: Int, _ middle: Int, _ end: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, middle > start else { return false }
            return ByteScan.tokenEnd(base, start, middle) == middle && ByteScan.valueEnd(base, middle, end) == end
        }
    }
}

/// How a field of the caller is handled in HTTP/2.
private enum Treatment {
    /// The field concerns only an HTTP/1 connection (RFC 9113 section 8.2.2) or a proxy, or is sent as a pseudo-field.
    case leftOut
    /// The field follows from the body and must not be set.
    case forbidden
    case connection, cookie, te
    case sent(HPACKEncoder.Indexing)

    /// - Parameter start: where the name begins in `bytes`. It extends to their end.
    init(of bytes: [UInt8], from start: Int) {
        self = bytes.withUnsafeBytes { bytes in
            guard let memory = bytes.baseAddress else { return .sent(.indexed) }
            let (base, count) = (memory + start, bytes.count &- start)
            func isName(_ name: StaticString) -> Bool { ByteScan.matches(base, count, name) }
            switch count {
            case 2 where isName("te"): return .te
            case 4 where isName("host"): return .leftOut
            case 5 where isName("range"): return .sent(.notIndexed)
            case 6 where isName("cookie"): return .cookie
            case 7 where isName("upgrade"): return .leftOut
            case 8 where isName("if-match") || isName("if-range"): return .sent(.notIndexed)
            case 10 where isName("connection"): return .connection
            case 10 where isName("keep-alive"): return .leftOut
            case 11 where isName("repr-digest"): return .sent(.notIndexed)
            case 13 where isName("authorization"): return .sent(.neverIndexed)
            case 13 where isName("content-range") || isName("if-none-match"): return .sent(.notIndexed)
            case 14 where isName("content-length"): return .forbidden
            case 14 where isName("content-digest"): return .sent(.notIndexed)
            case 14 where bytes[start...].elementsEqual("http2-settings".utf8): return .leftOut
            case 15 where isName("idempotency-key"): return .sent(.notIndexed)
            case 16 where isName("proxy-connection"): return .leftOut
            case 17 where isName("transfer-encoding"): return .forbidden
            case 17 where isName("if-modified-since"): return .sent(.notIndexed)
            case 19 where isName("proxy-authorization") || isName("if-unmodified-since"):
                return isName("proxy-authorization") ? .leftOut : .sent(.notIndexed)
            default: return .sent(.indexed)
            }
        }
    }
}
