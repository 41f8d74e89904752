// CacheKey: what a stored response is found by (RFC 9111 section 2), and what makes a cache forget it (section 4.4).

import HTTPTypes
package import TsubameCore

package enum CacheKey {
    /// Of a GET or a QUERY: the URI without fragment and userinfo. A Host field that was set by hand changes nothing in it.
    package static func of(_ uri: TargetURI) -> String { "GET " + uri.origin.description + uri.target }

    /// What an answer to an unsafe request makes invalid: its own URI, and what Location and Content-Location name at the
    /// same origin. Nothing, if the answer is an error.
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
