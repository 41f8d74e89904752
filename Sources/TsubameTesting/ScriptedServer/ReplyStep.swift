// Reply.Step: one action of a ScriptedServer, as a value.
#if TestServer

public import HTTPTypes
internal import TsubamePlatform

extension Reply {
    /// One action of the server. The steps of a reply run in order, each after the previous step is done. Bytes are
    /// done when the socket has taken them.
    ///
    /// A head, content, chunks and trailers are written in the form of the connection's version of HTTP. Over HTTP/2
    /// the server ends the stream after the last step if a response has begun.
    public struct Step: Sendable {
        enum Kind: Sendable {
            case bytes([UInt8])
            case head(Head)
            case content([UInt8])
            case chunk([UInt8])
            case lastChunk([Field])
            case pieces([[UInt8]])
            case together([[UInt8]])
            case repeating([UInt8], count: Int?)
            case generated(@Sendable (_ index: Int) -> [UInt8]?)
            case wait(Gate)
            case pause(Duration)
            case requestBody(count: Int)
            case wholeRequest
            case stopReading
            case resumeReading
            case readOnce
            case stall
            case halfClose
            case close
            case cutOff
            case reset
            case resetStream(code: UInt32)
            case goAway(code: UInt32, lastStream: Int?)
            /// Ends an HTTP/2 stream whose response has begun.
            case endStream
            /// Only so many more bytes of the connection are sent, the others are lost; nil ends that.
            case outputLimit(Int?)
            /// After so many more bytes of content the reply continues at the mark with this number.
            case contentLimit(Int, mark: UniqueNumber)
            /// Where a reply continues; it ends all limits of the content.
            case mark(UniqueNumber)
        }

        /// The head of a response.
        struct Head: Sendable {
            var status: HTTPResponse.Status
            var fields: [Field]
            /// Whether HTTP/1.1 adds `Transfer-Encoding: chunked`, which HTTP/2 forbids.
            var isChunked = false
        }

        typealias Field = ReceivedRequest.Field

        let kind: Kind

        // MARK: Parts of a response

        /// Sends the head of a response, as it is. A status of 1xx is an informational response, which another head
        /// follows.
        public static func head(_ status: HTTPResponse.Status, _ headers: HTTPFields = [:]) -> Step {
            Step(kind: .head(Head(status: status, fields: headers.map(Field.init))))
        }

        /// Sends the content of a response. These bytes are left out in the response to a HEAD request.
        public static func content(_ bytes: [UInt8]) -> Step { Step(kind: .content(bytes)) }

        /// Sends this text as content.
        public static func content(_ text: String) -> Step { .content(Array(text.utf8)) }

        /// Sends one chunk (RFC 9112 section 7.1) with this text; over HTTP/2 a DATA frame. In HTTP/1.1 the head must
        /// say `Transfer-Encoding: chunked`.
        public static func chunk(_ text: String) -> Step { Step(kind: .chunk(Array(text.utf8))) }

        /// Sends the last chunk and these trailers; over HTTP/2 the trailers, which end the stream.
        public static func lastChunk(trailers: HTTPFields = [:]) -> Step {
            Step(kind: .lastChunk(trailers.map(Field.init)))
        }

        // MARK: Exact bytes

        /// Sends exactly these bytes, in one write. Over HTTP/2 they go between the frames.
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

        /// Sends these bytes in one write of the socket, so the client finds them there together. Over TLS each array is a
        /// record of its own.
        public static func together(_ pieces: [[UInt8]]) -> Step { Step(kind: .together(pieces)) }

        // MARK: Long content

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

        // MARK: Waiting

        /// Waits until the gate is open.
        public static func wait(for gate: Gate) -> Step { Step(kind: .wait(gate)) }

        /// Waits for this time. A test that can wait for an event should use a ``Gate`` instead.
        public static func pause(for time: Duration) -> Step { Step(kind: .pause(time)) }

        /// Waits until `count` bytes of the request's body have arrived, or the whole request; useful in a reply that
        /// begins ``Reply/early``.
        public static func requestBody(_ count: Int) -> Step { Step(kind: .requestBody(count: count)) }

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

        // MARK: Endings

        /// Ends the sending direction (with TLS after a close_notify) and continues to read.
        public static let halfClose = Step(kind: .halfClose)

        /// Closes the connection; with TLS after a close_notify.
        public static let close = Step(kind: .close)

        /// Closes the TCP connection; with TLS without a close_notify, as an attacker truncates a response (RFC 8446
        /// section 6.1).
        public static let cutOff = Step(kind: .cutOff)

        /// Ends the TCP connection by a reset (RST).
        public static let reset = Step(kind: .reset)

        /// Ends the HTTP/2 stream of the request by RST_STREAM with this error code (RFC 9113 section 7). In HTTP/1.1, and
        /// from `onConnect`, there is no stream; the server resets the connection instead.
        public static func resetStream(code: UInt32 = 2) -> Step { Step(kind: .resetStream(code: code)) }

        /// Says by GOAWAY that the server handles no streams above `lastStream` (RFC 9113 section 6.8). With nil, that
        /// is the stream of this request. A number must be that of a stream of the client, and not above that of an earlier
        /// GOAWAY. From `onConnect`, a server that speaks HTTP/2 alone sends it before any request, and nil stands for 0.
        /// HTTP/1.1 has no such frame; the server closes the connection instead.
        public static func goAway(code: UInt32 = 0, lastStream: Int? = nil) -> Step {
            Step(kind: .goAway(code: code, lastStream: lastStream))
        }
    }
}

extension ReceivedRequest.Field {
    init(_ field: HTTPField) { self.init(name: field.name.rawName, value: field.value) }
}
#endif
