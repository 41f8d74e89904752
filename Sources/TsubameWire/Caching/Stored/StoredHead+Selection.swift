// StoredHead+Selection: the rules that decide which stored response answers a request (RFC 9111 section 4.1).

package import HTTPTypes

extension StoredHead {
    /// Marks the entries of the identity in `selecting`.
    private static let identityMark = "="
    /// The keys for the owner of the cookie jar. The first is used if the jar's cookies were sent or set, the second if
    /// the jar was idle. No field has such a name.
    private static let jarMark = "=/jar"
    private static let idleJarMark = "=/idle-jar"

    /// The fields whose values are stored as they are. Of any other field a digest is stored, because it may hold a secret,
    /// and the server chooses the fields.
    private static let plainFields: Set<String> = [
        "accept", "accept-encoding", "accept-language", "origin", "user-agent",
    ]

    /// The request's values by which the response is selected later.
    /// - Parameters:
    ///   - setsCookies: whether the response sets cookies.
    ///   - stored: the response that the new one replaces. Its jar is kept, so that short-lived jars do not leave one
    ///     response each.
    /// - Returns: nil if the response can never be selected, as for `Vary: *`.
    package static func selecting(
        vary: [String], in request: HTTPFields, _ identity: CacheIdentity, setsCookies: Bool = false,
        replacing stored: StoredHead? = nil
    ) -> [String: String?]? {
        var values: [String: String?] = [:]
        if identity.hasJarCookies || setsCookies {
            values[jarMark] = .some(identity.jar ?? "")
        } else if let jar = identity.jar {
            values[idleJarMark] = .some(stored?.selecting[idleJarMark].flatMap { $0 } ?? jar)
        }
        for (name, value) in identity.values { values[identityMark + name] = .some(value) }
        for element in vary.joined(separator: ",").split(separator: ",") {
            let name = element.filter { $0 != " " && $0 != "\t" }.lowercasedASCII
            if name == "*" { return nil }
            // No request can have a field whose name is invalid.
            guard let field = HTTPField.Name(name) else { continue }
            values[name] = .some(value(of: field, in: request))
        }
        return values
    }

    /// Whether the response was requested with cookies or has set cookies.
    package var hasCookies: Bool { selecting[Self.jarMark] != nil }

    /// Whether this response answers a request with these fields.
    ///
    /// If the response was requested with cookies of a jar, or has set cookies, it answers only requests of that jar.
    /// Otherwise it answers all requests without cookies, and requests of the same jar with cookies.
    package func answers(_ request: HTTPFields, _ identity: CacheIdentity) -> Bool {
        var identical = 0
        var isOfJar = !identity.hasJarCookies
        for (name, stored) in selecting {
            if name == Self.jarMark {
                guard stored == identity.jar ?? "" else { return false }
                isOfJar = true
            } else if name == Self.idleJarMark {
                if stored == identity.jar { isOfJar = true }
            } else if name.hasPrefix(Self.identityMark) {
                guard identity.values[String(name.dropFirst(Self.identityMark.count))] == stored else { return false }
                identical += 1
            } else {
                guard let field = HTTPField.Name(name), Self.value(of: field, in: request) == stored else {
                    return false
                }
            }
        }
        return isOfJar && identical == identity.values.count
    }

    /// The combined value of the field with optional white space removed; nil if the request does not have the field.
    private static func value(of name: HTTPField.Name, in request: HTTPFields) -> String? {
        guard let value = request[name] else { return nil }
        let isList = value.utf8.contains(UInt8(ascii: ","))
        let text = isList ? (FieldDirective.split(value, at: ",") ?? [value]).joined(separator: ",") : value
        return plainFields.contains(name.canonicalName) ? text : CacheIdentity.digest(text)
    }
}

extension StoredHead {
    /// The fields that the response varies by. A response with a content coding always varies by Accept-Encoding,
    /// even if its Vary field does not say so.
    package var varying: [String] {
        let vary = fields[values: .vary]
        return fields.contains(.contentEncoding) ? vary + ["accept-encoding"] : vary
    }
}
