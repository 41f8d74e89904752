// RequestRecorder: builds the record of a request while its parts arrive.
#if Server
import HTTPTypes
import NIOCore
import NIOHTTP1

struct RequestRecorder {
    private let method: String
    private let target: String
    private let version: String
    private let fields: [RequestRecord.Field]
    private let wire: [UInt8]
    private let connection: Int
    private let limit: Int
    private var body: [UInt8] = []
    private var byteCount = 0

    /// - Parameter wire: the head as it arrived; if it is nil, the head is rebuilt from the parsed parts.
    init(
        method: String, target: String, version: String, fields: [(name: String, value: String)], wire: [UInt8]?,
        connection: Int, limit: Int
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields.map { RequestRecord.Field(name: $0.name, value: $0.value.trimmed) }
        self.wire = wire ?? Self.assembled("\(method) \(target) \(version)", fields)
        self.connection = connection
        self.limit = limit
    }

    init(head: HTTPRequestHead, wire: [UInt8]?, connection: Int, limit: Int) {
        self.init(
            method: head.method.rawValue, target: head.uri,
            version: "HTTP/\(head.version.major).\(head.version.minor)",
            fields: head.headers.map { ($0.name, $0.value) }, wire: wire, connection: connection, limit: limit)
    }

    /// Reads an HTTP/2 head: `:authority` takes the place of the Host field, and every name is in lower case.
    init(head: HTTPRequest, connection: Int, limit: Int) {
        let authority = head.authority.map { [("host", $0)] } ?? []
        self.init(
            method: head.method.rawValue, target: head.path ?? head.authority ?? "", version: "HTTP/2",
            fields: authority + head.headerFields.map { ($0.name.rawName, $0.value) }, wire: nil,
            connection: connection, limit: limit)
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
            method: method,
            target: target,
            version: version,
            fields: fields,
            head: wire,
            body: body,
            bodyByteCount: byteCount
        )
    }

    private static func assembled(_ line: String, _ fields: [(name: String, value: String)]) -> [UInt8] {
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("\(line)\r\n\(lines)\r\n".utf8)
    }
}

#endif
