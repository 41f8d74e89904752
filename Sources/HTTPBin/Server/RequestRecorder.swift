// Builds the record of a request while its parts arrive.
#if Server
import NIOCore
import NIOHTTP1

struct RequestRecorder {
    private let head: HTTPRequestHead
    private let wire: [UInt8]
    private let connection: Int
    private let limit: Int
    private var body: [UInt8] = []
    private var byteCount = 0

    init(head: HTTPRequestHead, wire: [UInt8]?, connection: Int, limit: Int) {
        self.head = head
        self.wire = wire ?? Array(Self.assembled(head).utf8)
        self.connection = connection
        self.limit = limit
    }

    mutating func append(_ buffer: ByteBuffer) {
        byteCount += buffer.readableBytes
        if body.count < limit {
            body.append(contentsOf: buffer.readableBytesView.prefix(limit - body.count))
        }
    }

    var record: RequestRecord {
        RequestRecord(
            connection: connection,
            method: head.method.rawValue,
            target: head.uri,
            version: "HTTP/\(head.version.major).\(head.version.minor)",
            fields: head.headers.map { RequestRecord.Field(name: $0.name, value: $0.value.trimmed) },
            head: wire,
            body: body,
            bodyByteCount: byteCount
        )
    }

    private static func assembled(_ head: HTTPRequestHead) -> String {
        var text = "\(head.method.rawValue) \(head.uri) HTTP/\(head.version.major).\(head.version.minor)\r\n"
        for field in head.headers { text += "\(field.name): \(field.value)\r\n" }
        return text + "\r\n"
    }
}

#endif
