// ExchangeEvent: what happens to one exchange of the server, for those who watch.
#if Server

/// A step of an exchange, as ``HTTPBin/onExchange`` gets it.
public struct ExchangeEvent: Sendable, Hashable {
    /// The steps of an exchange. It begins with ``request(method:url:version:fields:)``, and ends with ``ended`` or ``failed(_:)``.
    public enum Step: Sendable, Hashable {
        /// The head of a request has arrived.
        case request(method: String, url: String, version: String, fields: [RequestRecord.Field])
        /// An endpoint has read the request's body: its first bytes, up to ``HTTPBin/recordLimit``, and the number of all.
        case requestBody([UInt8], count: Int)
        /// The server answers with this head.
        case response(status: Int, fields: [RequestRecord.Field])
        /// More of the response's body has been written: its bytes, and the number of all bytes so far. Of a body, only the first
        /// ``HTTPBin/recordLimit`` bytes are reported.
        case responseBody([UInt8], count: Int)
        /// The exchange is complete.
        case ended
        /// The exchange broke off.
        case failed(String)
    }

    /// The number of the exchange, counted from 1.
    public let exchange: Int
    /// The number of the connection.
    public let connection: Int
    /// The address and the port of the client; empty if they are not known.
    public let peer: String
    /// The step.
    public let step: Step
}

#endif
