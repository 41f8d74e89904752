// CallLog: writes the events of calls to a swift-log logger.

import HTTPTypes
import Logging
import TsubameCore
import TsubamePlatform

/// Turns the events of calls into log lines. The end of a call is logged at `info`, its failure at `warning`,
/// decisions on its way at `debug`, and everything else at `trace`. Credentials and secrets are withheld.
struct CallLog: Sendable {
    let logger: Logger

    func callAsFunction(_ event: CallEvent) {
        var metadata: Logger.Metadata = ["call": "\(event.call)", "ms": "\(event.time.milliseconds)"]
        switch event.kind {
        case .finished(let response):
            metadata["status"] = "\(response.statusCode)"
            if let connection = response.connection { metadata["connection"] = "\(connection.id)" }
            let hops = response.history.isEmpty ? "" : " after \(response.history.count) other responses"
            logger.info("\(response.request.summary): \(response.statusCode)\(hops)", metadata: metadata)
        case .failed(let error):
            metadata["kind"] = "\(error.kind)"
            logger.warning("\(error)", metadata: metadata)
        case .cancelled: logger.info("cancelled", metadata: metadata)
        case .resending(let request, let why, let delay):
            let wait = delay > .zero ? " in \(delay.inSeconds)" : ""
            logger.debug("\(request.summary) is next\(wait): \(why)", metadata: metadata)
        case .caching(let text): logger.debug("cache: \(text)", metadata: metadata)
        case .decision(let text): logger.debug("\(text)", metadata: metadata)
        case .started(let request): logger.trace("\(request.summary)", metadata: metadata)
        case .sent(let request): logger.trace("sent: \(request)", metadata: metadata)
        case .headReceived(let response): logger.trace("received: \(response)", metadata: metadata)
        case .sending, .receiving, .requestBody, .responseBody: break
        case .informational(let status, _): logger.trace("informational \(status)", metadata: metadata)
        case .queued(let why): logger.trace("waits for a connection: \(why)", metadata: metadata)
        case .resolving(let host): logger.trace("resolving \(host)", metadata: metadata)
        case .resolved(let addresses): logger.trace("resolved: \(addresses)", metadata: metadata)
        case .connecting(let address): logger.trace("connecting to \(address)", metadata: metadata)
        case .connected(let connection): logger.trace("connected: \(connection)", metadata: metadata)
        case .securing: logger.trace("securing", metadata: metadata)
        case .secured(let connection): logger.trace("secured: \(connection)", metadata: metadata)
        case .reused(let connection): logger.trace("reused: \(connection)", metadata: metadata)
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { Int64(clamping: nanosecondsClamped / 1_000_000) }
}
