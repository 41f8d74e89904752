// Resending: sends the request of a call again.

import Tsubame
import TsubameCore

enum Resending {
    /// The tag of requests that the page sent.
    static let tag = "tsubame.inspector.resent"
    /// The limit for the whole call if the request has no limit of its own.
    private static let total = Duration.seconds(60)

    /// Sends a request by the client of a call. The new call appears in the log.
    /// - Throws: ``EditableRequest/Problem`` if the client is gone, or if the request cannot be sent.
    static func send(_ edited: EditableRequest?, of call: LoggedCall, in log: TrafficLog) async throws(EditableRequest
        .Problem)
    {
        let shown = await EditableRequest(call)
        var request = try shown.request(of: call, edited: edited)
        guard call.client > 0 else {
            throw EditableRequest.Problem(
                description: "no client of this process sent this call; copy its line from Export")
        }
        guard let client = log.client(of: call) else {
            throw EditableRequest.Problem(description: "the client of this call is gone; copy its line from Export")
        }
        guard !client.isClosed else {
            throw EditableRequest.Problem(description: "the client of this call is closed; copy its line from Export")
        }
        request.tags[tag] = true
        if !request.timeouts.isSet(.total) { request.timeouts.total = total }
        Task.detached { [request] in
            // The log shows how the call ends, and keeps the beginning of the body.
            try? await client.stream(request) { response in for try await _ in response.body {} }
        }
    }
}
