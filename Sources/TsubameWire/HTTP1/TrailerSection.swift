// TrailerSection: which trailer fields are given, and which would be acted on by mistake (RFC 9110 section 6.5.1).

import HTTPTypes
import TsubameCore

enum TrailerSection {
    /// Framing, routing, request modifiers, authentication, response control and content: whoever merged one of these
    /// with the head would let the end of a body change what its beginning meant.
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

    /// nil if no field is left.
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
