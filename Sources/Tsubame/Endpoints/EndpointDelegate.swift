// EndpointDelegate: an object that receives the typed end of an endpoint's calls.

public import TsubameCore

/// Receives the value or the error of an endpoint, on the main actor.
@MainActor
public protocol EndpointDelegate<Target>: AnyObject {
    /// The endpoint whose calls are reported. A delegate of several endpoints has an enumeration of them, or a delegate
    /// for each.
    associatedtype Target: Endpoint
    /// Called while bytes are sent or received; does nothing by default.
    func endpoint(_ endpoint: Target, didProgress progress: CallProgress)
    /// Called once at the end with the value, instead of `didFailWith`.
    func endpoint(_ endpoint: Target, didFinish value: Target.Value)
    /// Called once at the end with the error, instead of `didFinish`.
    func endpoint(_ endpoint: Target, didFailWith error: CallError)
}

extension EndpointDelegate {
    /// Does nothing.
    public func endpoint(_ endpoint: Target, didProgress progress: CallProgress) {}
}
