// ResumableUpload: sends a file so that an interrupted upload can be continued.

import Tsubame
import TsubameTerminal

struct ResumableUpload: Sendable {
    /// nil if no later run can continue it.
    let records: UploadRecords?
    let board: ProgressBoard?

    /// Sends the request, and returns the last response with its body.
    func send(_ request: Request, by client: Client) throws(CallError) -> Response {
        let line = board.map { BodyLine(to: request.uri?.host, on: $0) }
        defer { line?.end() }
        return try client.blocking.upload(request, records: records) { progress in
            guard let line, progress.total ?? 0 >= ProgressBoard.minimumBytes else { return }
            line.show(progress.sent, of: progress.total)
        }
    }
}
