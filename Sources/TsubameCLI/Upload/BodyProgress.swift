// BodyProgress: the progress of a large request body, by the events of its call.

import Tsubame
import TsubameTerminal

struct BodyProgress: Sendable {
    private let line: BodyLine

    /// nil if the body is too small for a line that a reader could read.
    init?(of request: Request, on board: ProgressBoard) {
        guard !request.body.isEmpty, request.body.length ?? .max >= ProgressBoard.minimumBytes else { return nil }
        line = BodyLine(to: request.uri?.host, on: board)
    }

    func take(_ event: CallEvent) {
        switch event.kind {
        case .sending(let progress): line.show(progress.bytes, of: progress.total)
        case .headReceived: line.end()
        default: if event.kind.isFinal { line.end() }
        }
    }
}
