// RequestEncoder: writes the head of an HTTP/1 request in one pass (RFC 9112 sections 2 to 6).

package import HTTPTypes
package import TsubameCore

package enum RequestEncoder {
    /// How the body after the head is delimited.
    package enum Framing: Sendable, Hashable {
        /// No body, and no framing field.
        case none
        /// `Content-Length`, which may be 0.
        case length(Int64)
        /// `Transfer-Encoding: chunked`.
        case chunked
    }

    /// The encoded lines of these fields, for requests that share them. nil if the fields cannot simply be copied.
    package static func shared(_ headers: HTTPFields) -> PreencodedFields? {
        guard (try? RequestValidation.check(headers)) != nil else { return nil }
        let capacity = capacity(method: "", target: "", authority: "", headers: headers)
        var lineCount: Int?
        let lines = Bytes(capacity: capacity) { output in
            guard let base = output.baseAddress else { return 0 }
            var writer = RequestHeadWriter(base, capacity: output.count)
            guard writer.writeFields(headers), !writer.isFull else { return 0 }
            lineCount = writer.lines
            return writer.count
        }
        return lineCount.map { PreencodedFields(headers, lines: lines, lineCount: $0) }
    }

    /// An upper bound for the bytes that ``write(method:target:authority:headers:shared:framing:into:)`` needs.
    package static func capacity(
        method: String, target: String, authority: String, headers: HTTPFields, shared: PreencodedFields? = nil
    ) -> Int {
        // Two spaces, the version, the line ends, `Host: ` and the longer framing field take at most 81 bytes.
        var bytes = 96 &+ method.utf8.count &+ target.utf8.count &+ authority.utf8.count
        if let shared { return bytes &+ shared.lines.count }
        for index in 0..<headers.count {
            let field = headers[index]
            bytes &+= field.name.rawName.utf8.count &+ field.withUnsafeBytesOfValue { $0.count } &+ 4
        }
        return bytes
    }

    /// Writes the request line, Host, the fields in their order, the framing field and the empty line.
    ///
    /// Host is `authority`, unless the caller's fields contain a Host. The caller's Host is written first, too. Cookie
    /// fields, of which `HTTPFields` has one for each pair, are joined into one (RFC 6265 section 5.4). Values are
    /// written as their bytes.
    /// - Parameters:
    ///   - shared: the encoded lines of `headers`, if requests share them.
    ///   - isOld: whether the request line names HTTP/1.0, which has no chunks.
    ///   - output: a buffer of at least ``capacity(method:target:authority:headers:shared:)`` bytes.
    /// - Returns: the number of bytes written.
    /// - Throws: kind `invalidRequest` if the bytes would not arrive as this one request. `output` must not be sent
    ///   then.
    package static func write(
        method: String, target: String, authority: String, headers: HTTPFields, shared: PreencodedFields? = nil,
        framing: Framing, isOld: Bool = false, into output: UnsafeMutableRawBufferPointer
    ) throws(WireError) -> Int {
        guard let base = output.baseAddress else { throw WireError(.misuse, "there is no room for the request's head") }
        var writer = RequestHeadWriter(base, capacity: output.count)
        writer.writeStart(method, target, authority, isOld: isOld)
        if let shared {
            writer.write(shared)
        } else if !writer.writeFields(headers) {
            // Rare, so this path is not optimised: the caller set a Host, or a field that must not be set.
            try RequestValidation.check(headers)
            writer = RequestHeadWriter(base, capacity: output.count)
            writer.writeStart(method, target, RequestValidation.host(headers) ?? authority, isOld: isOld)
            _ = writer.writeFields(headers, withoutHost: true)
        }
        writer.writeEnd(framing)
        if isOld, framing == .chunked {
            throw WireError(
                .invalidRequest, "HTTP/1.0 has no chunks, which a body of unknown length and trailers need")
        }
        guard writer.isSound() else {
            try validate(method: method, target: target, headers: headers)
            try RequestValidation.check(authority: authority)
            try RequestValidation.check(framing)
            throw WireError(.misuse, "the request's head does not fit into \(output.count) bytes")
        }
        return writer.count
    }

    /// Checks whether ``write(method:target:authority:headers:shared:framing:into:)`` would accept these parts.
    /// - Throws: kind `invalidRequest`. The text names the part and the field, but no value.
    package static func validate(method: String, target: String, headers: HTTPFields) throws(WireError) {
        try RequestValidation.check(method: method)
        try RequestValidation.check(target: target)
        try RequestValidation.check(headers)
    }

    /// Writes the line before a chunk of `count` bytes. The chunk and a CRLF follow it. For 0, the line is that of the
    /// last chunk; trailers or an empty line follow.
    /// - Parameter output: a buffer of at least 18 bytes.
    /// - Returns: the number of bytes written; 0 if they do not fit or `count` is negative.
    package static func chunkHeader(_ count: Int, into output: UnsafeMutableRawBufferPointer) -> Int {
        guard count >= 0 else { return 0 }
        let digits = Swift.max(1, (Int.bitWidth &- count.leadingZeroBitCount &+ 3) / 4)
        guard output.count >= digits &+ 2, let base = output.baseAddress else { return 0 }
        var rest = count
        var at = digits
        while at > 0 {
            at &-= 1
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            base.storeBytes(of: digit < 10 ? 0x30 &+ digit : 0x57 &+ digit, toByteOffset: at, as: UInt8.self)
            rest &>>= 4
        }
        base.storeBytes(of: 0x0D, toByteOffset: digits, as: UInt8.self)
        base.storeBytes(of: 0x0A, toByteOffset: digits &+ 1, as: UInt8.self)
        return digits &+ 2
    }
}
