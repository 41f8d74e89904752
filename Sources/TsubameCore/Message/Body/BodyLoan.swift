// BodyLoan: the right of a body's reader to receive the body by itself.

/// A producer that has paused may lend its connection to the reader of the body. The reader then reads where it runs, so that a
/// large body costs no change of thread for each piece.
package protocol BodyLoan: AnyObject, Sendable {
    /// Reads the next piece, and never waits. Called by one thread at a time.
    /// - Returns: the piece, if there is one now, and whether the loan is over. The reader then gives it back.
    func read() -> (piece: Bytes?, isOver: Bool)
    /// Gives a loan that is over back to its producer, which goes on by itself.
    func giveBack()
}
