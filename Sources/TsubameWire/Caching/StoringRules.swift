// StoringRules: the rules that decide which responses may be stored, and with which fields (RFC 9111 section 3).

package import HTTPTypes

package enum StoringRules {
    /// The heuristically cacheable statuses of RFC 9110 section 15.1, except 206, because partial responses are not
    /// stored.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Whether the cache knows the caching rules of the status, as `must-understand` requires.
    private static func isUnderstood(_ status: Int) -> Bool {
        isHeuristicallyCacheable(status) || [302, 303, 307].contains(status)
    }

    /// Whether the fields of a response forbid to store it. With `must-understand`, `no-store` is only for caches that do not
    /// know the status (section 5.2.2.3).
    package static func isForbidden(by fields: HTTPFields, status: Int) -> Bool {
        let control = CacheControl(fields[values: .cacheControl])
        return control.mustUnderstand ? !isUnderstood(status) : control.noStore
    }

    /// Why a response is not stored; nil if it may be stored.
    package static func refusal(of status: Int, _ fields: HTTPFields, to request: CacheTerms) -> String? {
        guard request.method == .get else { return "only answers to GET and QUERY are stored" }
        if request.control.noStore { return "the request says no-store" }
        if request.identity.changesEachTime { return "the request's credentials are for one request only" }
        let control = CacheControl(fields[values: .cacheControl])
        switch status {
        case 206: return "it is a partial response"
        case 304: return "it only confirms another response"
        case 401, 407: return "it asks for credentials"
        // These statuses concern a condition, a range or a moment, and not the resource.
        case 408, 412, 416, 417, 421, 425, 426, 431: return "its status, \(status), concerns this request only"
        case 200..<600: break
        default: return "its status is \(status)"
        }
        if isForbidden(by: fields, status: status) {
            return control.mustUnderstand ? "it says must-understand, and its status is unknown" : "it says no-store"
        }
        let isExplicit = control.isPublic || control.isPrivate || control.maxAge != nil || fields.contains(.expires)
        guard isExplicit || isHeuristicallyCacheable(status) else { return "nothing makes it cacheable" }
        return nil
    }

    /// The fields that are stored (section 3.1). Connection and proxy fields are left out. So is Set-Cookie, because
    /// a cookie is set only once.
    package static func stored(_ fields: HTTPFields) -> HTTPFields {
        let named = Self.named(in: fields)
        var stored = HTTPFields()
        for field in fields where !isUnstored(field.name.canonicalName, named) { stored.append(field) }
        return stored
    }

    /// The canonical names in the Connection field.
    static func named(in fields: HTTPFields) -> Set<String> {
        Set(
            fields[values: .connection].joined(separator: ",").split(separator: ",").map { name in
                name.filter { $0 != " " && $0 != "\t" }.lowercasedASCII
            })
    }

    static func isUnstored(_ name: String, _ named: Set<String>) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
            "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "set-cookie":
            true
        default: !named.isEmpty && named.contains(name)
        }
    }
}
