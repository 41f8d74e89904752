// TrailerSection: selects the trailer fields that are safe to use (RFC 9110 section 6.5.1).

package import HTTPTypes
package import TsubameCore

package enum TrailerSection {
    /// Fields for framing, routing, request modifiers, authentication, response control and content. If such a trailer
    /// were merged with the head, the end of a body could change the meaning of its beginning.
    private static let refused: Set<String> = [
        "connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
        "authorization", "authentication-info", "cookie", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "set-cookie", "www-authenticate",
        "age", "cache-control", "date", "expires", "location", "pragma", "retry-after", "vary", "warning",
        "content-encoding", "content-range", "content-type", "content-location", "content-disposition",
        "alt-svc", "strict-transport-security", "public-key-pins", "clear-site-data", "refresh",
        "expect", "max-forwards", "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
        "if-range",
    ]

    /// The encoded lines of a request's trailers.
    /// - Throws: kind `requestBody` for a field that is invalid or must not be a trailer (RFC 9110 section 6.5.1).
    package static func lines(of fields: HTTPFields) throws(WireError) -> [UInt8] {
        var lines: [UInt8] = []
        for field in fields {
            let name = field.name.rawName
            guard !name.isEmpty, name.utf8.allSatisfy({ ByteScan.isToken($0) }) else {
                throw WireError(.requestBody, "an invalid name is among the trailers")
            }
            guard !refused.contains(field.name.canonicalName) else {
                throw WireError(.requestBody, "\(name) must not be a trailer")
            }
            let isSound = field.withUnsafeBytesOfValue { bytes in
                bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
            }
            guard isSound else { throw WireError(.requestBody, "the trailer \(name) holds a control character") }
            lines += name.utf8
            lines += [0x3A, 0x20]
            field.withUnsafeBytesOfValue { lines += $0 }
            lines += [0x0D, 0x0A]
        }
        return lines
    }

    /// The fields that are safe to use; nil if there are none.
    static func fields(_ slots: UnsafeBufferPointer<FieldSlot>, _ base: UnsafeRawPointer) -> HTTPFields? {
        var fields = HTTPFields()
        for slot in slots {
            func text(_ start: UInt32, _ length: UInt32) -> String {
                ReceivedHead.text(UnsafeRawBufferPointer(start: base + Int(start), count: Int(length)))
            }
            guard let name = HTTPField.Name(text(slot.nameStart, slot.nameLength)),
                !refused.contains(name.canonicalName)
            else { continue }
            fields.appendSafely(HTTPField(name: name, value: text(slot.valueStart, slot.valueLength)))
        }
        return fields.isEmpty ? nil : fields
    }
}
