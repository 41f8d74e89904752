// PeerFrame: HTTP/2 frames of a peer, built without the code under test.

enum PeerFrame {
    /// - Parameter length: the length in the frame's header, if it differs from the payload's.
    static func frame(
        _ type: UInt8, _ flags: UInt8 = 0, _ stream: UInt32 = 0, _ payload: [UInt8] = [], length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? payload.count
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
            + word(stream) + payload
    }

    static func word(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }

    static func settings(_ settings: (UInt16, UInt32)...) -> [UInt8] {
        frame(4, 0, 0, settings.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + word($1) })
    }

    static func data(_ stream: UInt32, _ body: [UInt8], ends: Bool = true, padding: UInt8? = nil) -> [UInt8] {
        let flags: UInt8 = (ends ? 1 : 0) | (padding == nil ? 0 : 8)
        let zeros = [UInt8](repeating: 0, count: Int(padding ?? 0))
        return frame(0, flags, stream, (padding.map { [$0] } ?? []) + body + zeros)
    }

    static func data(_ stream: UInt32, _ text: String, ends: Bool = true, padding: UInt8? = nil) -> [UInt8] {
        data(stream, latin1(text), ends: ends, padding: padding)
    }

    static func headers(_ stream: UInt32, block: [UInt8], ends: Bool = true, endsBlock: Bool = true) -> [UInt8] {
        frame(1, (ends ? 1 : 0) | (endsBlock ? 4 : 0), stream, block)
    }

    static func headers(
        _ stream: UInt32, _ fields: KeyValuePairs<String, String>, ends: Bool = true
    ) -> [UInt8] {
        headers(stream, block: block(fields), ends: ends)
    }

    static func continuation(_ stream: UInt32, _ block: [UInt8], endsBlock: Bool = true) -> [UInt8] {
        frame(9, endsBlock ? 4 : 0, stream, block)
    }

    static func reset(_ stream: UInt32, _ code: UInt32) -> [UInt8] { frame(3, 0, stream, word(code)) }
    static func windowUpdate(_ stream: UInt32, _ count: UInt32) -> [UInt8] { frame(8, 0, stream, word(count)) }
    static func ping(_ byte: UInt8 = 0) -> [UInt8] { frame(6, 0, 0, [UInt8](repeating: byte, count: 8)) }
    static func goAway(last: UInt32, _ code: UInt32, _ why: String = "") -> [UInt8] {
        frame(7, 0, 0, word(last) + word(code) + latin1(why))
    }

    // MARK: Fields

    /// Literals without indexing and without the Huffman code (RFC 7541 section 6.2.2).
    static func block(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
        fields.flatMap { [0x00] + string($0) + string($1) }
    }

    /// A literal with indexing (6.2.1).
    static func indexed(_ name: String, _ value: String) -> [UInt8] { [0x40] + string(name) + string(value) }

    static func string(_ text: String) -> [UInt8] {
        let bytes = latin1(text)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (number, rest) = ([UInt8(127)], bytes.count - 127)
        while rest >= 128 {
            number.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return number + [UInt8(rest)] + bytes
    }
}
