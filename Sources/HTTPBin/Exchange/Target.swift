// Target: a request target split into its parts, and the URL that httpbin shows for it.
#if Server

struct Target: Sendable {
    /// The segments of the path. Each is decoded on its own, so that an encoded slash stays inside its segment.
    let segments: [String]
    private let path: ArraySlice<UInt8>
    let query: ArraySlice<UInt8>

    init(_ target: String) {
        let bytes = Array(target.utf8)
        let whole = bytes.prefix { $0 != UInt8(ascii: "#") }
        path = whole.prefix { $0 != UInt8(ascii: "?") }
        query = whole.dropFirst(path.count).dropFirst()
        let relative = path.first == UInt8(ascii: "/") ? path.dropFirst() : path
        segments = relative.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(decoding: PercentCoding.decode($0), as: UTF8.self)
        }
    }

    /// The whole URL as Werkzeug writes it. Escapes that do not change the meaning appear as the characters they
    /// encode.
    func url(scheme: String, host: String) -> String {
        let decoded = String(decoding: PercentCoding.decode(path), as: UTF8.self).utf8
        let encodedPath = PercentCoding.encode(decoded.drop { $0 == UInt8(ascii: "/") }, keeping: "!$&'()*+,/:;=@%")
        var url = "\(scheme)://\(host)/" + PercentCoding.readable(encodedPath, keeping: "/?#")
        if !query.isEmpty {
            let encodedQuery = PercentCoding.encode(query, keeping: "!$&'()*+,/:;=?@%")
            url += "?" + PercentCoding.readable(encodedQuery, keeping: "&=+#")
        }
        return url
    }
}

#endif
