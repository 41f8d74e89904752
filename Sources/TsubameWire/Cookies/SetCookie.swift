// SetCookie: one Set-Cookie field (RFC 6265bis §5.6), parsed but not yet checked against a host.

package struct SetCookie: Sendable, Hashable {
    package static let maximumNameAndValue = 4_096
    package static let maximumAttributeValue = 1_024

    package private(set) var name: String
    package private(set) var value: String
    /// Seconds since 1970.
    package private(set) var expires: Int64?
    /// In seconds. If it is zero or negative, the cookie expires now.
    package private(set) var maxAge: Int64?
    /// In lower case, without a leading dot; nil if absent or empty.
    package private(set) var domain: String?
    /// nil if absent or not a path; the path of the request is used then.
    package private(set) var path: String?
    package private(set) var isSecure = false
    package private(set) var isHTTPOnly = false
    package private(set) var sameSite = Cookie.SameSite.unspecified

    /// - Throws: if the field must be ignored: it holds a control character, or its name and value have more than
    ///   4,096 bytes together.
    package init(_ field: String) throws(CookieRefusal) {
        guard !field.utf8.contains(where: Self.isForbiddenControl) else { throw .controlCharacter }
        let pieces = field.utf8.split(
            separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let pair = pieces.first else { throw .empty }
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = Self.trimmed(pair[..<equals])
            value = Self.trimmed(pair[pair.index(after: equals)...])
        } else {
            name = ""
            value = Self.trimmed(pair)
        }
        guard name.utf8.count + value.utf8.count <= Self.maximumNameAndValue else { throw .tooLong }
        guard pieces.count == 2 else { return }
        for attribute in pieces[1].split(separator: UInt8(ascii: ";")) {
            let parts = attribute.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let attributeName = parts.first else { continue }
            let attributeValue = parts.count == 2 ? Self.trimmed(parts[1]) : ""
            guard attributeValue.utf8.count <= Self.maximumAttributeValue else { continue }
            apply(Self.trimmed(attributeName).lowercasedASCII, attributeValue)
        }
    }

    /// The name in a field, even if the rest of the field is invalid; empty if the field has no name.
    package static func name(of field: String) -> String {
        let pair = field.utf8.prefix { $0 != UInt8(ascii: ";") }
        return pair.firstIndex(of: UInt8(ascii: "=")).map { trimmed(pair[..<$0]) } ?? ""
    }

    /// When a cookie that arrives at `now` expires. Max-Age takes precedence over Expires; nil if neither is present.
    package func expiry(at now: Int64) -> Int64? {
        guard let maxAge else { return expires }
        guard maxAge > 0 else { return .min }
        let (end, isTooLate) = now.addingReportingOverflow(maxAge)
        return isTooLate ? .max : end
    }

    // If an attribute is repeated, the last one counts, even if it is empty.
    private mutating func apply(_ attribute: String, _ text: String) {
        switch attribute {
        case "expires": if let date = CookieDate.parse(text) { expires = date }
        case "max-age": if let seconds = Self.seconds(text) { maxAge = seconds }
        case "domain":
            let name = (text.utf8.first == UInt8(ascii: ".") ? String(text.dropFirst()) : text).lowercasedASCII
            domain = name.isEmpty ? nil : name
        case "path": path = text.utf8.first == UInt8(ascii: "/") ? text : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            switch text.lowercasedASCII {
            case "strict": sameSite = .strict
            case "lax": sameSite = .lax
            case "none": sameSite = .none
            default: sameSite = .unspecified
            }
        default: break
        }
    }

    /// Digits with an optional minus sign. A number that does not fit in 64 bits becomes the nearest one that does.
    private static func seconds(_ text: String) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ $0.digitValue != nil }) else { return nil }
        return Int64(text) ?? (isNegative ? .min : .max)
    }

    /// A tab is the only control character that a field may contain.
    static func isForbiddenControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 || byte == 0x7F
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(Substring(text))
    }
}

extension String {
    var lowercasedASCII: String {
        guard utf8.contains(where: { $0 != $0.lowercasedASCII }) else { return self }
        return String(decoding: utf8.lazy.map(\.lowercasedASCII), as: UTF8.self)
    }
}
