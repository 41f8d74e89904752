// RequestEncoder: the head of an HTTP/1.1 request, written in one go (RFC 9112 sections 2 to 6).

package import HTTPTypes
package import TsubameCore

package enum RequestEncoder {
    /// How the body behind the head is delimited.
    package enum Framing: Sendable, Hashable {
        /// No body, and no field about one.
        case none
        /// `Content-Length`, 0 included.
        case length(Int64)
        /// `Transfer-Encoding: chunked`.
        case chunked
    }

    /// The lines of these fields, for requests that share them; nil if they are not simply to be copied.
    package static func shared(_ headers: HTTPFields) -> SharedFields? {
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
        return lineCount.map { SharedFields(headers, lines: lines, lineCount: $0) }
    }

    /// Upper bound of the bytes that ``write(method:target:authority:headers:shared:framing:into:)`` needs.
    package static func capacity(
        method: String, target: String, authority: String, headers: HTTPFields, shared: SharedFields? = nil
    ) -> Int {
        // Two spaces, the version, line ends, `Host: ` and the longer of the framing fields are 81 bytes at most.
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
    /// Host is `authority`, unless the caller's fields have one: then it is theirs, and still the first. Cookie fields,
    /// of which `HTTPFields` has one for each pair, are joined to one (RFC 6265 section 5.4). Values go as their bytes.
    /// - Parameters:
    ///   - shared: those of the fields, if they are shared ones.
    ///   - output: of at least ``capacity(method:target:authority:headers:shared:)`` bytes.
    /// - Returns: how many bytes were written.
    /// - Throws: kind `invalidRequest` for whatever would not arrive as the one request that it is meant to be; what
    ///   `output` holds by then must not be sent.
    package static func write(
        method: String, target: String, authority: String, headers: HTTPFields, shared: SharedFields? = nil,
        framing: Framing, into output: UnsafeMutableRawBufferPointer
    ) throws(WireError) -> Int {
        guard let base = output.baseAddress else { throw WireError(.misuse, "there is no room for the request's head") }
        var writer = RequestHeadWriter(base, capacity: output.count)
        writer.writeStart(method, target, authority)
        if let shared {
            writer.write(shared)
        } else if !writer.writeFields(headers) {
            // Rare, and to be looked at in peace: a Host of the caller's, or a field that must not be there.
            try RequestValidation.check(headers)
            writer = RequestHeadWriter(base, capacity: output.count)
            writer.writeStart(method, target, RequestValidation.host(headers) ?? authority)
            _ = writer.writeFields(headers, withoutHost: true)
        }
        writer.writeEnd(framing)
        guard writer.isSound() else {
            try validate(method: method, target: target, headers: headers)
            try RequestValidation.check(authority: authority)
            try RequestValidation.check(framing)
            throw WireError(.misuse, "the request's head does not fit into \(output.count) bytes")
        }
        return writer.count
    }

    /// Whether the parts can be sent, as ``write(method:target:authority:headers:shared:framing:into:)`` would find out.
    /// - Throws: kind `invalidRequest`; the text names the part, and the field, but no value.
    package static func validate(method: String, target: String, headers: HTTPFields) throws(WireError) {
        try RequestValidation.check(method: method)
        try RequestValidation.check(target: target)
        try RequestValidation.check(headers)
    }

    /// The line before a chunk of `count` bytes, behind which a CRLF follows. For 0 it is that of the last chunk, behind
    /// which trailers or an empty line follow.
    /// - Parameter output: of at least 18 bytes.
    /// - Returns: how many bytes were written; 0 if they do not fit or `count` is negative.
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
