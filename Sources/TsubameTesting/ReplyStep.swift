// ReplyStep: one thing that a ScriptedServer does, as a value.

extension Reply {
    /// One thing that the server does. The steps of a reply are done in order, each when the one before it is done:
    /// bytes are done when the socket has taken them.
    public struct Step: Sendable {
        enum Kind: Sendable {
            case bytes([UInt8])
            case content([UInt8])
            case pieces([[UInt8]])
            case repeating([UInt8], count: Int?)
            case generated(@Sendable (_ index: Int) -> [UInt8]?)
            case wait(Gate)
            case wholeRequest
            case stopReading
            case resumeReading
            case stall
            case halfClose
            case close
            case cutOff
            case reset
        }

        let kind: Kind

        /// Sends these bytes as they are, in one write.
        public static func bytes(_ bytes: [UInt8]) -> Step { Step(kind: .bytes(bytes)) }

        /// Sends the UTF-8 bytes of this text as they are, in one write. Line ends are the caller's: `\r\n`.
        public static func bytes(_ text: String) -> Step { .bytes(Array(text.utf8)) }

        /// Sends bytes in pieces of `length`, each written on its own: with 1, byte by byte. A receiver that is slow to
        /// read may still get several at once.
        public static func bytes(_ bytes: [UInt8], every length: Int) -> Step {
            let length = max(length, 1)
            let starts = stride(from: 0, to: bytes.count, by: length)
            return Step(kind: .pieces(starts.map { Array(bytes[$0..<min(bytes.count, $0 + length)]) }))
        }

        /// Sends text in pieces of `length` bytes, each written on its own.
        public static func bytes(_ text: String, every length: Int) -> Step { .bytes(Array(text.utf8), every: length) }

        /// Sends these texts, each written on its own.
        public static func pieces(_ pieces: String...) -> Step { Step(kind: .pieces(pieces.map { Array($0.utf8) })) }

        /// Sends these bytes, each array written on its own.
        public static func pieces(_ pieces: [[UInt8]]) -> Step { Step(kind: .pieces(pieces)) }

        /// Sends the content of a response: bytes that are left out in answer to a HEAD request.
        public static func content(_ bytes: [UInt8]) -> Step { Step(kind: .content(bytes)) }

        /// Sends `piece` again and again, as fast as the client takes it, until `count` bytes have been sent; nil: until
        /// the connection ends. What the socket has taken is counted in ``ScriptedServer/sentBodyBytes``.
        public static func repeating(_ piece: [UInt8], count: Int? = nil) -> Step {
            Step(kind: .repeating(piece, count: count))
        }

        /// Sends what the closure returns for 0, 1, 2, … as fast as the client takes it, until it returns nil. Counted
        /// like ``repeating(_:count:)``. The closure runs on the server's event loop and must not block.
        public static func generated(_ piece: @escaping @Sendable (_ index: Int) -> [UInt8]?) -> Step {
            Step(kind: .generated(piece))
        }

        /// Goes on when the gate is open.
        public static func wait(for gate: Gate) -> Step { Step(kind: .wait(gate)) }

        /// Goes on when the request has been received to its end: for a reply that began ``Reply/early``.
        public static let wholeRequest = Step(kind: .wholeRequest)

        /// Reads nothing more from the connection, so that the client cannot go on sending.
        public static let stopReading = Step(kind: .stopReading)

        /// Reads again after ``stopReading``.
        public static let resumeReading = Step(kind: .resumeReading)

        /// Never goes on: the connection stays open until the client closes it or the server is stopped. Requests
        /// that come meanwhile are recorded.
        public static let stall = Step(kind: .stall)

        /// Ends the sending direction (with TLS: after a close_notify) and goes on reading.
        public static let halfClose = Step(kind: .halfClose)

        /// Closes the connection in order; with TLS, a close_notify is sent before.
        public static let close = Step(kind: .close)

        /// Closes the TCP connection; with TLS, without a close_notify: how an attacker cuts an answer short
        /// (RFC 8446 section 6.1).
        public static let cutOff = Step(kind: .cutOff)

        /// Ends the TCP connection by a reset (RST).
        public static let reset = Step(kind: .reset)
    }
}
