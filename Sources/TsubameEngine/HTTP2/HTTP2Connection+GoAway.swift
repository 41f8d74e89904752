// GOAWAY (RFC 9113 section 6.8): the server takes no further requests on the connection.

import TsubameCore
import TsubameWire

extension HTTP2Connection {
    /// The server takes no further requests here; those that it has not looked at go out elsewhere (section 6.8).
    func goAway(_ last: UInt32, _ code: HTTP2Code) {
        ending.hasStoppedAccepting = true
        ending.goAwayCode = code
        let unprocessed = streams.slots.filter { $0.exchange != nil && $0.stream.id > last }
        for activeStream in unprocessed {
            let stream = activeStream.stream
            guard let exchange = activeStream.detach() else { continue }
            session.forget(stream)
            guard exchange.phase != .receivingBody else {
                exchange.fail(
                    CallError(
                        .incompleteResponse,
                        "the server ended the connection (\(code)) within a response that it says it never began",
                        phase: .receivingBody, timeout: nil, connection: exchange.progress.connection))
                continue
            }
            let error = CallError(
                .connectionLost, "the server ended the connection before it took the request: \(code)",
                phase: exchange.phase, timeout: nil, connection: exchange.progress.connection)
            // A client that is asked to slow down does not ask again at once.
            guard code != .enhanceYourCalm, !exchange.response.isRefused else {
                exchange.breakOff(error)
                continue
            }
            exchange.sendUnprocessed(
                "the server ended the connection (\(code)) before it took the request", orElse: error)
        }
        loopPool.availableStreamsChanged(on: self)
        // The pool counts them until it is told. It closes the connection after the last one.
        for _ in unprocessed { exchangeEnded() }
    }
}
