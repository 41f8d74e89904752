// ObservedTransfer: the bytes of a body that have gone by, and what observers receive of them.

internal import TsubamePlatform

/// Counts the pieces of one body, and cuts off its beginning for the observers.
struct ObservedTransfer: Sendable {
    /// The news of one step for the observers.
    struct News {
        var progress: TransferProgress?
        var beginning: ObservedBeginning.Piece?
    }

    var counter: TransferCounter
    private var beginning: ObservedBeginning

    /// - Parameter limit: the number of bytes that observers ask for.
    init(total: Int64? = nil, limit: Int) {
        counter = TransferCounter(total: total)
        beginning = ObservedBeginning(limit: limit)
    }

    mutating func add(_ piece: Bytes, at now: MonotonicTime) -> News {
        News(progress: counter.add(piece, at: now), beginning: beginning.next(piece))
    }

    /// - Parameter last: the news of the last piece, which has not been told yet.
    mutating func end(after last: News = News()) -> News {
        News(progress: counter.final, beginning: last.beginning ?? beginning.end())
    }
}
