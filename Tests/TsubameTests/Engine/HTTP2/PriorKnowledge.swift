// PriorKnowledge: a client that speaks HTTP/2 with prior knowledge, and a peer that does the same.

import Tsubame

/// Runs `body` with a peer that follows the script, and a client with prior knowledge. Nothing may be left open.
func withPeer<R>(
    settings: [(UInt16, UInt32)]? = [], _ configure: @escaping (inout Configuration) -> Void = { _ in },
    _ script: @escaping FramePeer.Script, client body: (FramePeer, Client) async throws -> R
) async throws -> R {
    let peer = try await FramePeer.start(settings: settings, script)
    return try await serving(
        peer,
        {
            $0.connection.httpVersion = .http2
            configure(&$0)
        }, body)
}

extension FrameConnection {
    /// Answers every request at once, with its path.
    func echo() async throws {
        while true {
            let request = try await nextRequest()
            try await respond(request.stream, text: request[":path"] ?? "")
        }
    }
}
