// ContentLength: the length of a body, as its head announces it.

extension Int64 {
    /// The number that a Content-Length field says.
    /// - Parameter field: the value of the field; nil if there is none.
    /// - Returns: nil if the value is no number of bytes (RFC 9110 section 8.6).
    package init?(contentLength field: String?) {
        guard let field, field.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        self.init(field)
    }
}
