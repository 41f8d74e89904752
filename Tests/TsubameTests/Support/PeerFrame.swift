// PeerFrame: one frame of HTTP/2 (RFC 9113 section 4), independent of the library's own codec.

/// A field that was decoded or will be sent.
struct PeerField: Sendable, Hashable, CustomStringConvertible {
    let name: String
    let value: String

    var description: String { "\(name): \(value)" }
}

struct PeerFrame: Sendable, Hashable {
    /// RFC 9113 section 6.
    enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// The flags, some of which share a bit.
    enum Flag {
        static let endStream: UInt8 = 0x1
        static let acknowledgement: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }

    /// A field block that ended with this frame.
    struct Block: Sendable, Hashable {
        let fields: [PeerField]
        let endsStream: Bool
    }

    let type: UInt8
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]
    /// The decoded block, on the frame that completed it: a HEADERS frame, or the last CONTINUATION after it.
    var block: Block?

    init(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.init(kind.rawValue, flags: flags, stream: stream, payload)
    }

    /// nil for a type that RFC 9113 does not define.
    var kind: Kind? { Kind(rawValue: type) }

    /// The bytes of the frame, with the payload's true length.
    var bytes: [UInt8] { PeerFrame.head(type, flags: flags, stream: stream, length: payload.count) + payload }

    /// The nine bytes of a frame header, whose length may differ from the payload's.
    static func head(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, length: Int) -> [UInt8] {
        Array(UInt32(truncatingIfNeeded: length).bigEndianBytes.dropFirst()) + [type, flags] + stream.bigEndianBytes
    }
}

extension PeerFrame {
    /// END_STREAM of DATA, and of a block's HEADERS.
    var endsStream: Bool {
        if let block { return block.endsStream }
        return kind == .data && flags & Flag.endStream != 0
    }

    var isAcknowledgement: Bool { (kind == .settings || kind == .ping) && flags & Flag.acknowledgement != 0 }

    /// The content of DATA, or the fragment of HEADERS, without padding and priority.
    var content: [UInt8] {
        guard kind == .data || kind == .headers else { return payload }
        var content = payload[...]
        var padding = 0
        if flags & Flag.padded != 0 { padding = Int(content.popFirst() ?? 0) }
        if kind == .headers, flags & Flag.priority != 0 { content = content.dropFirst(5) }
        return Array(content.dropLast(padding))
    }

    /// The settings of SETTINGS, in their order.
    var settings: [(id: UInt16, value: UInt32)] {
        guard kind == .settings else { return [] }
        return stride(from: 0, to: payload.count - payload.count % 6, by: 6).map { at in
            (UInt16(payload[at]) << 8 | UInt16(payload[at + 1]), number(at: at + 2))
        }
    }

    /// The error code of RST_STREAM and GOAWAY.
    var errorCode: UInt32? {
        switch kind {
        case .reset: number(at: 0)
        case .goAway: number(at: 4)
        default: nil
        }
    }

    /// The last stream of GOAWAY.
    var lastStream: UInt32? { kind == .goAway ? number(at: 0) & 0x7FFF_FFFF : nil }

    /// The increment of WINDOW_UPDATE.
    var increment: UInt32? { kind == .windowUpdate ? number(at: 0) & 0x7FFF_FFFF : nil }

    private func number(at start: Int) -> UInt32 {
        payload.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension PeerFrame: CustomStringConvertible {
    var description: String {
        let name = kind.map { "\($0)" } ?? "type \(type)"
        return "\(name) flags 0x\(String(flags, radix: 16)) stream \(stream) length \(payload.count)"
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, the most significant first.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}
