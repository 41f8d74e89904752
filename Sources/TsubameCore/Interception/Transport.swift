// Transport: the last member of the chain, which does the exchange.

/// Does one exchange: the engine, a stub, or a recording.
public protocol Transport: Sendable {
    /// The name in `print(client.chain)`.
    var name: String { get }
    /// Sends the request (its URI is absolute by now) and returns the response's head with its body, whole or to pull.
    func send(_ request: Request, call: Call) async throws(CallError) -> Response
    /// Ends everything that is idle, and refuses what comes after.
    func close() async
}

/// A transport that ends by itself at the call's deadline and when the call is cancelled. For any other, the client sees
/// to that.
package protocol PromptTransport: Transport {}

extension Transport {
    /// The type's name.
    public var name: String { "\(Self.self)" }
    /// Does nothing.
    public func close() async {}
}
