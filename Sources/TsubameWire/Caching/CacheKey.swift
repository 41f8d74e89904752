// CacheKey: the key of a stored response, and the keys that a response invalidates (RFC 9111 sections 2 and 4.4).

import HTTPTypes
package import TsubameCore

package enum CacheKey {
    /// The key for a GET or QUERY: the URI without fragment and userinfo. A Host field that was set by hand does not
    /// change it.
    package static func of(_ uri: TargetURI) -> String { "GET " + uri.origin.description + uri.target }

    /// The keys that a response to an unsafe request invalidates: the request's URI, and same-origin URIs in Location
    /// and Content-Location. An error response invalidates nothing.
    package static func invalidated(by status: Int, _ fields: ReceivedFields, to uri: TargetURI) -> [String] {
        guard (200..<400).contains(status) else { return [] }
        var keys = [of(uri)]
        for name in [HTTPField.Name.location, .contentLocation] {
            guard let reference = fields[values: name].first, let named = try? uri.resolving(reference),
                case .uri(let other) = named, other.origin == uri.origin
            else { continue }
            let key = of(other)
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }
}
