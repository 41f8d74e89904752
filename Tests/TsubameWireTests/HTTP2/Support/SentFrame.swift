// SentFrame: a frame that an HTTP/2 session has sent, parsed without the code under test.

struct SentFrame: Hashable, CustomStringConvertible {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    /// nil if the bytes are not complete frames.
    static func frames(_ bytes: [UInt8]) -> [SentFrame]? {
        var (frames, at) = ([SentFrame](), 0)
        while at < bytes.count {
            guard bytes.count - at >= 9 else { return nil }
            let length = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
            guard bytes.count - at - 9 >= length else { return nil }
            let stream = bytes[(at + 5)..<(at + 9)].reduce(0) { $0 << 8 | UInt32($1) }
            let payload = Array(bytes[(at + 9)..<(at + 9 + length)])
            frames.append(SentFrame(type: bytes[at + 3], flags: bytes[at + 4], stream: stream, payload: payload))
            at += 9 + length
        }
        return frames
    }

    static func reset(_ stream: UInt32, _ code: UInt32) -> SentFrame {
        SentFrame(type: 3, stream: stream, payload: PeerFrame.word(code))
    }

    static func windowUpdate(_ stream: UInt32, _ count: Int) -> SentFrame {
        SentFrame(type: 8, stream: stream, payload: PeerFrame.word(UInt32(count)))
    }

    static func goAway(_ code: UInt32) -> SentFrame {
        SentFrame(type: 7, payload: [0, 0, 0, 0] + PeerFrame.word(code))
    }

    static let settingsAcknowledgement = SentFrame(type: 4, flags: 1)

    var description: String {
        "frame \(type) flags \(flags) stream \(stream) payload \(payload.prefix(40)) (\(payload.count))"
    }
}
