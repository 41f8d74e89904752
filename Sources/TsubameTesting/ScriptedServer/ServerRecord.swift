// ServerRecord: the events that a ScriptedServer has seen, and the script that it follows.
#if TestServer

internal import HTTPTypes
internal import NIOCore
internal import Tsubame

/// The events at a server so far.
struct ServerRecord: Sendable {
    /// The latest requests, in the order of arrival.
    private(set) var requests: [ReceivedRequest] = []
    /// The number of requests that came before ``requests`` and are no longer kept.
    private(set) var forgotten = 0
    /// The number of requests that are kept.
    private let limit: Int
    /// The open connections by number.
    var channels: [Int: any Channel] = [:]
    var accepted = 0
    var acceptedBodyBytes = 0
    var sentBodyBytes = 0
    /// The connections and streams on which a body is blocked because the client does not read, by their runners.
    var blocked: Set<ObjectIdentifier> = []
    /// A counter that grows whenever bytes move; only its changes matter.
    var moves: UInt64 = 0
    var isStopped = false

    init(keeping limit: Int) { self.limit = max(limit, 0) }

    subscript(index: Int) -> ReceivedRequest? {
        let place = index - forgotten
        return requests.indices.contains(place) ? requests[place] : nil
    }

    /// The events so far, for the errors of waits.
    var summary: String {
        """
        \(forgotten + requests.count) requests, the last one \(requests.last.map { $0.hasEnded ? "whole" : "not whole" } ?? "missing"), \
        \(accepted) connections accepted, \(channels.count) open, \(acceptedBodyBytes) bytes of bodies received, \
        \(sentBodyBytes) sent
        """
    }

    mutating func add(
        _ head: RequestParser.Head, connection: Int, indexOnConnection: Int, serverName: String?, tlsVersion: String?
    ) -> ReceivedRequest {
        let request = ReceivedRequest(
            index: forgotten + requests.count, connection: connection, indexOnConnection: indexOnConnection, head: head,
            serverName: serverName, tlsVersion: tlsVersion)
        forgetEnded()
        requests.append(request)
        moves &+= 1
        return request
    }

    mutating func change(_ index: Int, _ body: (inout ReceivedRequest) -> Void) {
        let place = index - forgotten
        guard requests.indices.contains(place) else { return }
        body(&requests[place])
    }

    /// Forgets the oldest requests, half of those that are kept at once, up to the first that still arrives.
    private mutating func forgetEnded() {
        guard requests.count >= limit, limit < .max else { return }
        let count = requests.prefix(requests.count - limit / 2).prefix { $0.hasEnded }.count
        requests.removeFirst(count)
        forgotten += count
    }
}

/// The closures that choose a reply, and when each is called.
struct ServerScript: Sendable {
    var onConnect: @Sendable (_ connection: Int) -> Reply?
    /// Called when a head has arrived; with nil, `onRequest` is called when the whole request has arrived.
    var onHead: @Sendable (ReceivedRequest) -> Reply?
    var onRequest: @Sendable (ReceivedRequest) -> Reply

    /// One reply for each request in the order of arrival.
    static func queued(_ replies: [Reply], onConnect: @escaping @Sendable (Int) -> Reply?) -> ServerScript {
        ServerScript(
            onConnect: onConnect,
            onHead: { request in
                guard replies.indices.contains(request.index), replies[request.index].isEarly else { return nil }
                return replies[request.index]
            },
            onRequest: { request in
                if replies.indices.contains(request.index) { return replies[request.index] }
                return .status(
                    .internalServerError,
                    "ScriptedServer: no reply is left for request \(request.index) (\(request.method) "
                        + "\(request.target)); it was started with \(replies.count)")
            })
    }
}

/// The state that the connections of one server share.
struct ServerContext: Sendable {
    let script: ServerScript
    let record: Watched<ServerRecord>
    let keptBodyBytes: Int
    let versions: [HTTPVersion]
    let link: LinkConditions?
}
#endif
