// ResumableUpload: sends a file so that an interrupted upload can be continued.

import Synchronization
import Tsubame
import TsubameTerminal

struct ResumableUpload: Sendable {
    /// nil if no later run can continue it.
    let records: UploadRecords?
    let board: ProgressBoard?

    /// Sends the request, and returns the last response with its body.
    func send(_ request: Request, by client: Client) throws(CallError) -> Response {
        let bar = UploadBar("to \(request.uri?.host ?? "upload")", board)
        defer { bar.end() }
        return try client.blocking.upload(request, records: records) { bar.show($0) }
    }
}

/// One upload, as a line of the progress board.
private final class UploadBar: Sendable {
    private let name: String
    private let board: ProgressBoard?
    /// The id of the line, after it is drawn.
    private let line = Mutex<Int?>(nil)

    init(_ name: String, _ board: ProgressBoard?) {
        self.name = name
        self.board = board
    }

    func show(_ progress: UploadProgress) {
        guard let board, let total = progress.total, total >= ProgressBoard.minimumBytes else { return }
        line.withLock { line in
            if line == nil, progress.sent < total {
                line = board.add(Transfer(name, offset: progress.sent, total: total, at: ProgressBoard.now))
            }
            if let line { board.reach(progress.sent, line) }
        }
    }

    func end() {
        line.withLock { line in
            if let line { board?.remove(line, saying: nil) }
            line = nil
        }
    }
}
