// StoringRules: which responses may be stored, and which of their fields (RFC 9111 section 3).

package import HTTPTypes

package enum StoringRules {
    /// RFC 9110 section 15.1, but for 206, of which nothing is stored.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// The statuses whose meaning for caches is known: what `must-understand` asks.
    private static func isUnderstood(_ status: Int) -> Bool {
        isHeuristicallyCacheable(status) || [302, 303, 307].contains(status)
    }

    /// Why a response is not stored; nil if it may be.
    package static func refusal(of status: Int, _ fields: HTTPFields, to request: CacheTerms) -> String? {
        guard request.method == .get else { return "only answers to GET and QUERY are stored" }
        if request.control.noStore { return "the request says no-store" }
        if request.identity.changesEachTime { return "its credentials are for one request only" }
        let control = CacheControl(fields[values: .cacheControl])
        switch status {
        case 206: return "it is a part only"
        case 304: return "it is not what is asked for itself"
        case 401, 407: return "it asks for credentials"
        // They answer a condition, a range or a moment, and not what is asked for.
        case 408, 412, 416, 417, 421, 425, 426, 431: return "its status, \(status), is about this request alone"
        case 200..<600: break
        default: return "its status is \(status)"
        }
        if control.mustUnderstand {
            // Then no-store is for those who do not know the status (section 5.2.2.3).
            if !isUnderstood(status) { return "its status must be understood" }
        } else if control.noStore {
            return "it says no-store"
        }
        let isExplicit = control.isPublic || control.isPrivate || control.maxAge != nil || fields.contains(.expires)
        guard isExplicit || isHeuristicallyCacheable(status) else { return "nothing says that it may be" }
        return nil
    }

    /// The fields as they are stored (section 3.1): without those of the connection and of proxies, and without cookies,
    /// which are set once.
    package static func stored(_ fields: HTTPFields) -> HTTPFields {
        let named = Self.named(in: fields)
        var stored = HTTPFields()
        for field in fields where !isUnstored(field.name.canonicalName, named) { stored.append(field) }
        return stored
    }

    /// What the Connection field names.
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
