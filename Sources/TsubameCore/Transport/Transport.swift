// Transport: the last member of the chain, which performs the exchanges.

/// Performs exchanges: sends a request, and returns the response to it. The built-in engine is one; a stub, a recorder
/// and your own networking stack are others.
///
/// ```swift
/// struct Loopback: Transport {
///     func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
///         Response(status: .ok, body: Bytes("hello"))
///     }
/// }
/// let api = Client("https://api.example.com", transport: Loopback())
/// ```
/// A transport does one exchange and nothing else. It follows no redirect, keeps no cookie and no response, answers no
/// challenge, and decodes no content coding: the client does all this. The client also ends an exchange at its deadlines
/// and when the call is cancelled; it then cancels the task in which ``send(_:exchange:)`` runs, and no longer waits for
/// it. The article <doc:WritingATransport> describes the contract, and `TsubameTesting` holds the tests of it.
public protocol Transport: Sendable {
    /// The name in `print(client.chain)` and in errors. The default is the name of the type.
    var name: String { get }
    /// Sends the request, and returns the response as soon as its head has arrived.
    /// - Parameters:
    ///   - request: the request as it goes out. Its URI is absolute, and its fields are complete except for those that
    ///     frame the message: `Host`, `Content-Length` and `Transfer-Encoding`.
    ///   - exchange: the body of the request, the deadlines, and the place to report events.
    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response
    /// The settings that differ from the defaults and that this transport does not honour. If there is one, each call of
    /// a client with these settings fails with ``CallError/Kind/unsupported`` and names it. The default implementation
    /// returns all settings that differ: a pin that is not checked would protect nothing.
    func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name>
    /// Closes idle connections, and the others as soon as they are free. Later calls fail. The default implementation
    /// does nothing.
    func close() async
}

extension Transport {
    /// The name of the type.
    public var name: String { "\(Self.self)" }
    /// All settings that differ from the defaults.
    public func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> { settings.changed }
    /// Does nothing.
    public func close() async {}
}
