// BodyLine: the line of the progress board for a body that is sent.

import Synchronization
import TsubameTerminal

final class BodyLine: Sendable {
    private let board: ProgressBoard
    private let name: String
    /// The id of the line, after it is drawn.
    private let line = Mutex<Int?>(nil)

    /// - Parameter host: the host that gets the body; nil if it is not known.
    init(to host: String?, on board: ProgressBoard) {
        self.board = board
        name = "to \(host ?? "upload")"
    }

    /// Shows how much has been sent. The first call decides where the line begins, and a body that is sent by then gets none.
    func show(_ sent: Int64, of total: Int64?) {
        line.withLock { line in
            if line == nil, sent < total ?? .max {
                line = board.add(Transfer(name, offset: sent, total: total, at: ProgressBoard.now))
            }
            if let line { board.reach(sent, line) }
        }
    }

    func end() {
        line.withLock { line in
            if let line { board.remove(line, saying: nil) }
            line = nil
        }
    }
}
