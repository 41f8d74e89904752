// TransportSupport: the client's part in an exchange of another transport.

package import HTTPTypes

/// The work of an exchange that needs more than this module has.
package protocol TransportSupport: Sendable {
    /// The connection settings of the client.
    var settings: ConnectionSettings { get }
    /// Throws if the request cannot be sent as one request.
    func check(_ request: Request) throws(CallError)
    /// Throws if the fields must not be sent as trailers.
    func check(trailers: HTTPFields) throws(CallError)
    /// Opens the file of a body, and says how long it is. The call's cancellation and its deadline end the wait.
    func open(file path: String, for call: Call) async throws(CallError) -> (any BodyReader, Int64?)
}
