// HTTP2Prelude: frames for a connection of HTTP/2 on which no codec works yet.
#if TestServer

/// The bytes of frames that a server can send before any request.
enum HTTP2Prelude {
    /// An empty SETTINGS frame, the first that a server has to send (RFC 9113 section 3.4).
    static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// A GOAWAY frame (RFC 9113 section 6.8).
    static func goAway(_ code: UInt32, lastStream: Int) -> [UInt8] {
        let last = UInt32(min(max(lastStream, 0), Int(Int32.max)))
        let numbers = [last, code].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        return [0, 0, 8, 7, 0, 0, 0, 0, 0] + numbers
    }
}
#endif
