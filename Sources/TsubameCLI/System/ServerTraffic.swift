// ServerTraffic: the exchanges of the embedded server as calls in a log, for `serve --inspect`.

#if Server && Inspector
import HTTPBin
import Synchronization
import Tsubame
import TsubameInspector
import TsubamePlatform

/// The log shows what a client of the server would see: the request when it has arrived, and the response while it is written.
final class ServerTraffic: Sendable {
    private struct Running: Sendable {
        let call: UInt64
        let start: MonotonicTime
        var request: Request
        var response: Response?
        /// The bytes of the response's body that were written, and those that were told.
        var sent = 0
        var told = 0
    }

    private struct State: Sendable {
        var running: [Int: Running] = [:]
        var connections: [Int: ConnectionInfo] = [:]
    }

    private let log: TrafficLog
    private let state = Mutex(State())

    init(_ log: TrafficLog) { self.log = log }

    func take(_ event: ExchangeEvent) {
        state.withLock { state in
            switch event.step {
            case .request(let method, let url, let version, let fields):
                begin(event, Self.request(method, url, fields), version, &state)
            default: go(event, &state)
            }
        }
    }

    private static func request(_ method: String, _ url: String, _ fields: [RequestRecord.Field]) -> Request {
        var request = Request(HTTPRequest.Method(method) ?? .get, url: url)
        for field in fields { request.headers.append(field.name, field.value) }
        return request
    }

    private func begin(_ event: ExchangeEvent, _ request: Request, _ version: String, _ state: inout State) {
        let running = Running(call: Call.nextID(), start: MonotonicClock.now, request: request)
        state.running[event.exchange] = running
        tell(.started(request), of: running)
        if let connection = state.connections[event.connection] {
            tell(.reused(connection.reused()), of: running)
        } else {
            let connection = ConnectionInfo(
                remoteAddress: event.peer, version: version == "HTTP/2" ? .http2 : .http11)
            // The log needs the latest connections only.
            if state.connections.count > 1000 { state.connections = [:] }
            state.connections[event.connection] = connection
            tell(.connected(connection), of: running)
        }
        tell(.sent(request), of: running)
    }

    private func go(_ event: ExchangeEvent, _ state: inout State) {
        guard var running = state.running[event.exchange] else { return }
        switch event.step {
        case .request: break
        case .requestBody(let bytes, let count):
            tell(.sending(TransferProgress(bytes: Int64(count), total: Int64(count))), of: running)
            tell(.requestBody(Bytes(bytes), at: 0), of: running)
        case .response(let status, let fields):
            var headers = RequestHeaders()
            for field in fields { headers.append(field.name, field.value) }
            var response = Response(
                status: HTTPResponse.Status(code: status), headers: headers.fields, request: running.request)
            // The server knows the request when it has arrived, so all time until the head is its own.
            var timings = Timings()
            (timings.start, timings.sentAt, timings.headAt) = (running.start, running.start, MonotonicClock.now)
            response.details = response.details.with(timings: timings)
            running.response = response
            state.running[event.exchange] = running
            tell(.headReceived(response), of: running)
        case .responseBody(let bytes, let count):
            tell(.receiving(TransferProgress(bytes: Int64(count), total: nil)), of: running)
            if !bytes.isEmpty { tell(.responseBody(Bytes(bytes), at: running.told), of: running) }
            running.sent = count
            running.told += bytes.count
            state.running[event.exchange] = running
        case .ended:
            tell(.receiving(TransferProgress(bytes: Int64(running.sent), total: Int64(running.sent))), of: running)
            // A body without bytes, or the mark that it went on.
            if running.sent == 0 || running.told < running.sent {
                tell(.responseBody(Bytes(), at: running.sent), of: running)
            }
            end(event, running.response.map { .finished($0) } ?? .cancelled, &state)
        case .failed(let why):
            end(
                event, .failed(CallError(.connectionLost, why, phase: .receivingBody, request: running.request)), &state
            )
        }
    }

    private func end(_ event: ExchangeEvent, _ kind: CallEvent.Kind, _ state: inout State) {
        guard let running = state.running.removeValue(forKey: event.exchange) else { return }
        tell(kind, of: running)
    }

    private func tell(_ kind: CallEvent.Kind, of running: Running) {
        let time = Duration.nanoseconds(clamping: MonotonicClock.now - running.start)
        log.add(CallEvent(call: running.call, time: time, kind: kind))
    }
}
#endif
