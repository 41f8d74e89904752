// Which stored response answers a request (RFC 9111 section 4.1).

package import HTTPTypes

extension StoredHead {
    /// Marks the part of the identity in `selecting`.
    private static let identityMark = "="
    /// Whose jar a response was got with: one whose cookies were sent or set, and one that took no part. No field has such a
    /// name.
    private static let jarMark = "=/jar"
    private static let idleJarMark = "=/idle-jar"

    /// Fields whose values are kept as a digest.
    private static let secretFields: Set<String> = ["authorization", "proxy-authorization", "cookie"]

    /// The values by which a response is chosen later; nil if it never can be, which is what `Vary: *` says.
    /// - Parameters:
    ///   - setsCookies: whether the response sets cookies.
    ///   - stored: which it is to take the place of; jars that come and go must not each leave one.
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
            // What is no name of a field no request can have.
            guard let field = HTTPField.Name(name) else { continue }
            values[name] = .some(value(of: field, in: request))
        }
        return values
    }

    /// Whether it was got with cookies, or has set some.
    package var hasCookies: Bool { selecting[Self.jarMark] != nil }

    /// Whether this response answers a request with these fields.
    ///
    /// A response that was got with cookies of a jar, or set some, answers that jar's requests only. One that was got without
    /// answers all requests without cookies, and the others of the same jar.
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

    /// All values of the field as one, with as little white space as possible; nil if there is none.
    private static func value(of name: HTTPField.Name, in request: HTTPFields) -> String? {
        guard let value = request[name] else { return nil }
        if secretFields.contains(name.canonicalName) { return CacheIdentity.digest(value) }
        guard value.utf8.contains(UInt8(ascii: ",")) else { return value }
        return (FieldDirective.split(value, at: ",") ?? [value]).joined(separator: ",")
    }
}

extension StoredHead {
    /// The fields that the response says it varies by. One with a content coding varies by what codings were asked for,
    /// whether it says so or not.
    package var varying: [String] {
        let vary = fields[values: .vary]
        return fields.contains(.contentEncoding) ? vary + ["accept-encoding"] : vary
    }
}
