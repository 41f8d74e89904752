// Reply.Step: one action of a ScriptedServer, as a value.
#if TestServer

extension Reply {
    /// One action of the server. The steps of a reply run in order, each after the previous step is done. Bytes are
    /// done when the socket has taken them.
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
            case readOnce
            case stall
            case halfClose
            case close
            case cutOff
            case reset
        }

        let kind: Kind

        /// Sends exactly these bytes, in one write.
        public static func bytes(_ bytes: [UInt8]) -> Step { Step(kind: .bytes(bytes)) }

        /// Sends the UTF-8 bytes of this text, in one write. The text includes its line ends, `\r\n`.
        public static func bytes(_ text: String) -> Step { .bytes(Array(text.utf8)) }

        /// Sends bytes in pieces of `length`, each written on its own; with 1, byte by byte. A slow receiver may still
        /// read several pieces at once.
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

        /// Sends the content of a response. These bytes are left out in the response to a HEAD request.
        public static func content(_ bytes: [UInt8]) -> Step { Step(kind: .content(bytes)) }

        /// Sends `piece` again and again, as fast as the client reads, until `count` bytes are sent; with nil, until
        /// the connection ends. ``ScriptedServer/sentBodyBytes`` counts the bytes that the socket has taken.
        public static func repeating(_ piece: [UInt8], count: Int? = nil) -> Step {
            Step(kind: .repeating(piece, count: count))
        }

        /// Sends the pieces that the closure returns for 0, 1, 2, …, as fast as the client reads, until it returns nil.
        /// The bytes are counted as for ``repeating(_:count:)``. The closure runs on the server's event loop and must
        /// not block.
        public static func generated(_ piece: @escaping @Sendable (_ index: Int) -> [UInt8]?) -> Step {
            Step(kind: .generated(piece))
        }

        /// Waits until the gate is open.
        public static func wait(for gate: Gate) -> Step { Step(kind: .wait(gate)) }

        /// Waits until the whole request has arrived; useful in a reply that begins ``Reply/early``.
        public static let wholeRequest = Step(kind: .wholeRequest)

        /// Stops reading from the connection, so that the client cannot send any more.
        public static let stopReading = Step(kind: .stopReading)

        /// Reads again after ``stopReading``.
        public static let resumeReading = Step(kind: .resumeReading)

        /// After ``stopReading``: reads once, at most some 100 KiB of what has arrived. If nothing has arrived, the server
        /// reads once as soon as something does.
        package static let readOnce = Step(kind: .readOnce)

        /// Waits for ever: the connection stays open until the client closes it or the server is stopped. Requests that
        /// arrive meanwhile are recorded.
        public static let stall = Step(kind: .stall)

        /// Ends the sending direction (with TLS after a close_notify) and continues to read.
        public static let halfClose = Step(kind: .halfClose)

        /// Closes the connection; with TLS after a close_notify.
        public static let close = Step(kind: .close)

        /// Closes the TCP connection; with TLS without a close_notify, as an attacker truncates a response (RFC 8446
        /// section 6.1).
        public static let cutOff = Step(kind: .cutOff)

        /// Ends the TCP connection by a reset (RST).
        public static let reset = Step(kind: .reset)
    }
}
#endif
