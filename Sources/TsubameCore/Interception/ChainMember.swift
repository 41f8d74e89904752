// ChainMember: a member of the chain that is the library's own and that the chain tells its call.

/// The library's own members of a chain are not ``Interceptor``s: they are told the ``Call``.
package protocol ChainMember: Sendable {
    /// The name in `print(client.chain)`.
    var name: String { get }
}

extension ChainMember {
    /// The type's name.
    package var name: String { "\(Self.self)" }
}

/// A message hook that reports its decisions to the call.
package protocol CallMessageHook: ChainMember {
    func willSend(_ request: inout Request, _ call: Call) throws(CallError)
    func didReceive(_ response: inout Response, _ call: Call) throws(CallError)
}

extension CallMessageHook {
    package func willSend(_ request: inout Request, _ call: Call) throws(CallError) {}
    package func didReceive(_ response: inout Response, _ call: Call) throws(CallError) {}
}
