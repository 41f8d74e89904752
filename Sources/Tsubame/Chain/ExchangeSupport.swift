// ExchangeSupport: checks requests for transports other than the engine, and opens the files of bodies.

package import HTTPTypes
package import TsubameCore
import TsubameWire

package final class ExchangeSupport: TransportSupport {
    package let settings: ConnectionSettings

    package init(settings: ConnectionSettings = ConnectionSettings()) { self.settings = settings }

    /// A transport gets only what the engine would send, so that a line break in a field cannot become a second request.
    package func check(_ request: Request) throws(CallError) {
        guard request.headers.isValid else { throw request.headerError }
        guard let uri = request.uri else {
            throw CallError(.invalidRequest, "the request has no absolute URI", request: request)
        }
        try request.checkMethod()
        do throws(WireError) {
            try RequestEncoder.validate(
                method: request.method.rawValue, target: uri.target, headers: request.headers.fields)
        } catch {
            throw CallError(error, phase: .preparing).with(request: request)
        }
    }

    package func check(trailers: HTTPFields) throws(CallError) {
        do throws(WireError) {
            _ = try TrailerSection.lines(of: trailers)
        } catch {
            throw CallError(error, phase: .sendingBody)
        }
    }

    package func open(file path: String, for call: Call) async throws(CallError) -> (any BodyReader, Int64?) {
        let reader = try await FileReader.open(path, for: call)
        return (reader, reader.length)
    }
}
