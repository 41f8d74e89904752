// RequestParser: a tolerant parser of requests for the ScriptedServer, independent of the client's codec.
#if TestServer

internal import NIOCore

/// Parses requests as they arrive. It shares no code with the library's codec on purpose: the server must not mirror a
/// fault of the codec that it tests.
struct RequestParser {
    struct Head: Sendable {
        var bytes: [UInt8] = []
        var method = ""
        var target = ""
        var version = ""
        var fields: [ReceivedRequest.Field] = []
        var isChunked = false
        /// The Content-Length; 0 if there is none.
        var length = 0
        var problem: String?
    }

    enum Event {
        case head(Head)
        /// Bytes after the head as they arrived: content, or the framing of chunks.
        case piece(ByteBuffer, isContent: Bool)
        case end(trailers: [ReceivedRequest.Field])
        /// A head that did not end; its problem says why. No event follows.
        case brokenHead(Head)
        /// The rest of the input cannot be read.
        case failed(String)
    }

    private enum Stage {
        case head
        case content(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case end([ReceivedRequest.Field])
        case failed
    }

    /// The largest size of a head, a line or all trailers, in bytes, before the parser gives up.
    private static let bound = 8 << 20

    private var stage = Stage.head
    private var trailers: [ReceivedRequest.Field] = []
    private var trailerBytes = 0
    private var buffer = ByteBuffer()
    /// The number of bytes at the start of the buffer that are known to hold no end of a head.
    private var searched = 0

    mutating func push(_ bytes: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            buffer.writeImmutableBuffer(bytes)
        }
    }

    /// The next event in the bytes so far; nil when more bytes are needed.
    mutating func next() -> Event? {
        while true {
            switch stage {
            case .failed:
                buffer.clear()
                return nil
            case .head:
                guard let head = takeHead() else { return boundedHead() }
                stage = head.isChunked ? .chunkSize : head.length > 0 ? .content(remaining: head.length) : .end([])
                return .head(head)
            case .content(let remaining):
                guard let piece = take(upTo: remaining) else { return nil }
                let left = remaining - piece.readableBytes
                stage = left > 0 ? .content(remaining: left) : .end([])
                return .piece(piece, isContent: true)
            case .chunkSize:
                guard let line = takeLine() else { return bounded("chunk size line") }
                let text = Self.text(line)
                let digits = text.prefix { $0 != ";" }.trimmed()
                guard let size = Int(digits, radix: 16), size >= 0 else {
                    return fail("the chunk size \"\(text)\" is no number")
                }
                stage = size > 0 ? .chunk(remaining: size) : .trailers
                return .piece(line, isContent: false)
            case .chunk(let remaining):
                guard let piece = take(upTo: remaining) else { return nil }
                let left = remaining - piece.readableBytes
                stage = left > 0 ? .chunk(remaining: left) : .chunkEnd
                return .piece(piece, isContent: true)
            case .chunkEnd:
                guard let line = takeLine() else { return bounded("end of a chunk") }
                guard Self.text(line).isEmpty else { return fail("a chunk is longer than its size") }
                stage = .chunkSize
                return .piece(line, isContent: false)
            case .trailers:
                guard let line = takeLine() else { return bounded("trailer") }
                trailerBytes += line.readableBytes
                guard trailerBytes <= Self.bound else { return fail("trailers of more than \(Self.bound) bytes") }
                let text = Self.text(line)
                if text.isEmpty {
                    stage = .end(trailers)
                    (trailers, trailerBytes) = ([], 0)
                } else {
                    trailers.append(Self.field(text))
                }
                return .piece(line, isContent: false)
            case .end(let trailers):
                stage = .head
                return .end(trailers: trailers)
            }
        }
    }

    private mutating func fail(_ reason: String) -> Event {
        stage = .failed
        return .failed(reason)
    }

    private mutating func bounded(_ what: String) -> Event? {
        buffer.readableBytes > Self.bound ? fail("a \(what) of more than \(Self.bound) bytes") : nil
    }

    /// A head that is too long is reported as far as it has arrived, so that the script has a request to look at.
    private mutating func boundedHead() -> Event? {
        guard buffer.readableBytes > Self.bound else { return nil }
        stage = .failed
        var head = Self.head(buffer.readBytes(length: Self.bound) ?? [])
        head.problem = "a head of more than \(Self.bound) bytes"
        return .brokenHead(head)
    }

    private mutating func take(upTo count: Int) -> ByteBuffer? {
        let available = min(count, buffer.readableBytes)
        return available > 0 ? buffer.readSlice(length: available) : nil
    }

    private mutating func takeLine() -> ByteBuffer? {
        let view = buffer.readableBytesView
        guard let end = view.firstIndex(of: 0x0A) else { return nil }
        return buffer.readSlice(length: view.distance(from: view.startIndex, to: end) + 1)
    }

    private mutating func takeHead() -> Head? {
        let length: Int? = buffer.withUnsafeReadableBytes { bytes in
            guard let start = bytes.firstIndex(where: { $0 != 0x0D && $0 != 0x0A }) else { return nil }
            // An empty line may now follow the line end that was the last byte so far.
            var rest = bytes[max(start, min(searched, bytes.count) - 2)...]
            while let lineEnd = rest.firstIndex(of: 0x0A) {
                rest = rest[(lineEnd + 1)...]
                if rest.first == 0x0A { return lineEnd + 2 }
                if rest.starts(with: [0x0D, 0x0A]) { return lineEnd + 3 }
            }
            return nil
        }
        guard let length else {
            searched = buffer.readableBytes
            return nil
        }
        searched = 0
        return buffer.readBytes(length: length).map(Self.head)
    }

    private static func head(_ bytes: [UInt8]) -> Head {
        var head = Head()
        head.bytes = bytes
        var lines = bytes.split(separator: 0x0A).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        lines.removeAll(where: \.isEmpty)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        head.method = words.first.map(String.init) ?? ""
        head.target = words.count > 1 ? String(words[1]) : ""
        head.version = words.count > 2 ? String(words[2]) : ""
        head.fields = lines.dropFirst().map(field)
        for field in head.fields {
            switch field.name.lowercased() {
            case "transfer-encoding":
                head.isChunked = head.isChunked || field.value.lowercased().contains("chunked")
            case "content-length":
                if let length = Int(field.value), length >= 0 {
                    head.length = length
                } else {
                    head.problem = "the Content-Length \"\(field.value)\" is no number"
                }
            default: break
            }
        }
        return head
    }

    private static func field(_ line: String) -> ReceivedRequest.Field {
        guard let colon = line.firstIndex(of: ":") else { return ReceivedRequest.Field(name: line, value: "") }
        return ReceivedRequest.Field(
            name: String(line[..<colon]), value: line[line.index(after: colon)...].trimmed())
    }

    /// The line without its end.
    private static func text(_ line: ByteBuffer) -> String {
        let bytes = line.readableBytesView.dropLast()
        return String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text without surrounding spaces and tabs.
    fileprivate func trimmed() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
#endif
