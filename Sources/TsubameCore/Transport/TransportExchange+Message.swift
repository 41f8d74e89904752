// TransportExchange+Message: the target and the fields of the request, as they are sent.

public import HTTPTypes

extension TransportExchange {
    /// The target to send: the path and the query of the URI, or `*` for an OPTIONS request that asks about the server as
    /// a whole (``Request/asksServer``).
    public var target: String { request.asksServer ? "*" : request.uri?.target ?? "/" }

    /// The fields of the request as lines of a message: `Host` first, and the pairs of `Cookie` in one field. Iterating over
    /// ``Request/headers`` yields a field for each pair. The fields that frame the body are left to the transport.
    public var fields: [HTTPField] {
        let headers = request.headers
        var lines = headers.filter { $0.name != .host && $0.name != .cookie }
        if let cookies = headers[.cookie] { lines.append(HTTPField(name: .cookie, value: cookies)) }
        if let host = headers[.host] ?? request.uri?.authority {
            lines.insert(HTTPField(name: .host, value: host), at: 0)
        }
        return lines
    }
}
