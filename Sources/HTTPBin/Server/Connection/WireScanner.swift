// WireScanner: finds the heads of requests in the bytes of a connection.
#if Server

/// Follows the framing of requests (RFC 9112 section 6) through reads that are cut anywhere. A read may end one request
/// and begin the next. The scanner stops at bytes that it does not understand, because the decoder sees the same bytes
/// and decides.
struct WireScanner {
    private enum Place {
        case head
        case content(left: Int)
        case chunkSize
        case chunk(left: Int)
        /// The line end after a chunk.
        case chunkEnd
        case trailers
        case lost
    }

    /// Larger than any head that the decoder accepts, so that no accepted head is cut.
    private static let limit = 256 * 1024

    private var place = Place.head
    /// The head or the line that is arriving.
    private var held: [UInt8] = []
    private var lineIsEmpty = true
    private var heads: [[UInt8]] = []

    /// The oldest head that has not been taken yet.
    mutating func takeHead() -> [UInt8]? { heads.isEmpty ? nil : heads.removeFirst() }

    mutating func scan(_ bytes: some Collection<UInt8>) {
        var rest = bytes[...]
        while let byte = rest.first {
            switch place {
            case .lost: return
            case .content(let left):
                let count = min(left, rest.count)
                rest = rest.dropFirst(count)
                place = left > count ? .content(left: left - count) : .head
            case .chunk(let left):
                let count = min(left, rest.count)
                rest = rest.dropFirst(count)
                place = left > count ? .chunk(left: left - count) : .chunkEnd
            case .head, .chunkSize, .chunkEnd, .trailers:
                rest = rest.dropFirst()
                take(byte)
            }
        }
    }

    private mutating func take(_ byte: UInt8) {
        // Empty lines before a request do not belong to it (RFC 9112 section 2.2).
        if case .head = place, held.isEmpty, byte == 0x0D || byte == 0x0A { return }
        guard held.count < Self.limit else { return place = .lost }
        held.append(byte)
        switch byte {
        case 0x0A:
            endLine()
            lineIsEmpty = true
        case 0x0D: break
        default: lineIsEmpty = false
        }
    }

    private mutating func endLine() {
        switch place {
        case .head where !lineIsEmpty: return
        case .head:
            place = Self.framing(of: held)
            heads.append(held)
        case .chunkSize:
            let digits = held.prefix { $0 != UInt8(ascii: ";") && $0 != 0x0D && $0 != 0x0A && $0 != 0x20 }
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) ?? -1
            place = size > 0 ? .chunk(left: size) : size == 0 ? .trailers : .lost
        case .chunkEnd: place = lineIsEmpty ? .chunkSize : .lost
        case .trailers: if lineIsEmpty { place = .head }
        case .content, .chunk, .lost: break
        }
        held = []
    }

    /// The framing of the body that follows this head.
    private static func framing(of head: [UInt8]) -> Place {
        var length = 0
        for line in head.split(separator: 0x0A).dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let end = line.last == 0x0D ? line.endIndex - 1 : line.endIndex
            let value = String(decoding: line[min(colon + 1, end)..<end], as: UTF8.self).trimmed
            switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
            case "transfer-encoding" where value.lowercased().hasSuffix("chunked"): return .chunkSize
            case "content-length":
                guard let count = Int(value), count >= 0 else { return .lost }
                length = count
            default: break
            }
        }
        return length > 0 ? .content(left: length) : .head
    }
}

#endif
