// UploadProgress: a large request body on its way, as a line of the board.
#if Tool
import Synchronization
import Tsubame
import TsubameTerminal

final class UploadProgress: Sendable {
    private let board: ProgressBoard
    private let name: String
    /// The line, once there is one.
    private let line = Mutex<Int?>(nil)

    /// nil if the body is sent before anybody could read a line about it.
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

    private func show(_ progress: Progress) {
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

#endif
