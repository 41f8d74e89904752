// ChainStep: a synchronous member of the chain. One of the two kinds of members; the other is CallInterceptor.

package import TsubameCore

/// A member of the chain that changes messages in passing, and that may have a request sent again. A step does no I/O
/// itself; the chain carries out what it decides. Steps are objects, so that passing one copies nothing that it holds.
package protocol ChainStep: AnyObject, Sendable {
    /// The name in `print(client.chain)`.
    var name: String { get }
    /// The kind in `print(client.chain)`.
    var kind: String { get }
    func stance(toward request: borrowing Request) -> Stance
    /// Returns the request as it continues, after a wait. The chain calls this instead of ``willSend(_:_:)`` if the stance
    /// is ``Stance/waiting``.
    func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request
    func willSend(_ request: inout Request, _ call: Call) throws(CallError)
    /// - Returns: whether the step decides about this response. Most responses need no decision.
    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool
    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp
    func followUp(_ error: CallError, _ hop: borrowing Hop) -> FollowUp
    /// Changes a request that this step has sent again, after the delay.
    func willResend(_ request: inout Request)
}

/// The interest of a step in a request.
package enum Stance: Sendable {
    /// None.
    case absent
    /// The step changes the request, and perhaps the response.
    case passing
    /// The step may have the request sent again. The chain keeps the request as it passes the step.
    case watching
    /// The step changes the request, and may have it sent again.
    case deciding
    /// The same, but the step waits for something before the request can continue.
    case waiting
}

extension ChainStep {
    package var name: String { "\(Self.self)" }
    package var kind: String { "hook" }
    package func stance(toward request: borrowing Request) -> Stance { .passing }
    package func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request { request }
    package func willSend(_ request: inout Request, _ call: Call) throws(CallError) {}
    package func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool { false }
    package func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp { .proceed }
    package func followUp(_ error: CallError, _ hop: borrowing Hop) -> FollowUp { .proceed }
    package func willResend(_ request: inout Request) {}
}
