// BodyProgress: the progress of a large request body, as a line of the board.

import Synchronization
import Tsubame
import TsubameTerminal

final class BodyProgress: Sendable {
    private let board: ProgressBoard
    private let name: String
    /// The id of the line, after it is drawn.
    private let line = Mutex<Int?>(nil)

    /// nil if the body is too small for a line that a reader could read.
    init?(of request: Request, on board: ProgressBoard) {
        guard !request.body.isEmpty, request.body.length ?? .max >= ProgressBoard.minimumBytes else { return nil }
        self.board = board
        name = request.uri?.host ?? "upload"
    }

    func take(_ event: CallEvent) {
        switch event.kind {
        case .sending(let progress): show(progress)
        case .headReceived: end()
        default: if event.kind.isFinal { end() }
        }
    }

    private func show(_ progress: TransferProgress) {
        line.withLock { line in
            if line == nil, progress.bytes < progress.total ?? .max {
                line = board.add(Transfer("to \(name)", total: progress.total, at: ProgressBoard.now))
            }
            if let line { board.reach(progress.bytes, line) }
        }
    }

    private func end() {
        line.withLock { line in
            if let line { board.remove(line, saying: nil) }
            line = nil
        }
    }
}
