// ResumableUploadEndpoints: /uploads, uploads that resume after an interruption (draft-ietf-httpbis-resumable-upload).
#if Server
import Crypto
import HTTPTypes
import HummingbirdCore
import NIOCore

enum ResumableUploadEndpoints {
    static let routes = [
        Route(
            "/uploads", "takes a body that can resume at /uploads/{id}; the connection breaks after drop bytes",
            methods: .only(["POST", "PUT"])
        ) { try await create($0) },
        Route(
            "/uploads/{id}", "an upload: its state (HEAD), its remaining bytes (PATCH), its removal (DELETE)",
            methods: .only(["HEAD", "PATCH", "DELETE"])
        ) { try await goOn($0) },
    ]

    /// The iteration of the draft that the server speaks.
    private static let version = "8"
    private static let dropLimit = 16
    /// The number of bytes between two progress reports to the client.
    private static let progressStep = 1 << 20
    private static let limits = ("Upload-Limit", "max-size=\(UploadStore.byteLimit)")

    private static func create(_ exchange: Exchange) async throws -> Response {
        let isUnderstood = exchange.field("Upload-Draft-Interop-Version") == version
        let isWhole = !isUnderstood || exchange.field("Upload-Complete") != "?0"
        let length = try isWhole ? count(exchange, "Content-Length") : nil
        let declared = try count(exchange, "Upload-Length") ?? length
        if let declared, let length, declared != length { return try inconsistent(length, declared) }
        if let declared, declared > UploadStore.byteLimit {
            return try answer(413, [limits], "the upload is longer than \(UploadStore.byteLimit) bytes\n")
        }
        let drops = try exchange.arguments().all.filter { $0.name == "drop" }.map { pair in
            try Number.count(pair.value, default: 0, limit: UploadStore.byteLimit)
        }
        guard drops.count <= dropLimit else { throw Problem(400, "drop is given more than \(dropLimit) times") }
        let name = exchange.uploads.create(length: declared, drops: drops)
        guard let upload = exchange.uploads.take(name, for: exchange.connection) else {
            throw Problem(404, "no upload")
        }
        defer { exchange.uploads.leave(name, by: upload.writer) }
        let place = ("Location", "/uploads/\(name)")
        if isUnderstood { try await tell(exchange, [place, limits]) }
        let received = try await receive(name, upload, exchange, tells: isUnderstood)
        if isWhole { return try finish(name, upload, exchange) }
        return try answer(201, [place, limits, ("Upload-Complete", "?0"), ("Upload-Offset", "\(received)")])
    }

    private static func goOn(_ exchange: Exchange) async throws -> Response {
        let name = exchange.parameters[0]
        guard let upload = exchange.uploads.take(name, for: exchange.connection) else {
            throw Problem(404, "no such upload")
        }
        defer { exchange.uploads.leave(name, by: upload.writer) }
        switch exchange.method {
        case "HEAD":
            return try answer(204, state(of: upload) + [limits, ("Cache-Control", "no-store")])
        case "DELETE":
            exchange.uploads.remove(name)
            return try answer(204, [])
        default:
            return try await append(name, upload, exchange)
        }
    }

    private static func append(_ name: String, _ upload: UploadStore.Upload, _ exchange: Exchange) async throws
        -> Response
    {
        guard exchange.field(.contentType) == "application/partial-upload" else {
            throw Problem(415, "appended bytes need the Content-Type application/partial-upload")
        }
        guard upload.digest == nil else {
            return try problem(400, "completed-upload", "the upload is complete", state(of: upload))
        }
        guard let offset = try count(exchange, "Upload-Offset") else { throw Problem(400, "no Upload-Offset") }
        guard offset == upload.count else {
            return try problem(
                409, "mismatching-upload-offset", "there are \(upload.count) bytes", state(of: upload),
                [("expected-offset", JSON(upload.count)), ("provided-offset", JSON(offset))])
        }
        let received = try await receive(name, upload, exchange, tells: true)
        if exchange.field("Upload-Complete") == "?1" { return try finish(name, upload, exchange) }
        return try answer(204, [("Upload-Complete", "?0"), ("Upload-Offset", "\(received)")])
    }

    /// Stores the bytes of the request's body as they arrive.
    /// - Returns: the number of bytes of the upload so far.
    private static func receive(
        _ name: String, _ upload: UploadStore.Upload, _ exchange: Exchange, tells: Bool
    ) async throws -> Int {
        var (received, told) = (upload.count, upload.count)
        for try await buffer in exchange.request.body {
            switch exchange.uploads.append(Array(buffer.readableBytesView), to: name, by: upload.writer) {
            case .kept: received += buffer.readableBytes
            case .dropped, .refused:
                exchange.connection.close()
                throw Connection.PeerLeft()
            case .tooMany:
                exchange.uploads.remove(name)
                throw Problem(413, "the upload is longer than declared, or than the server can store")
            }
            if tells, received - told >= progressStep {
                told = received
                try await tell(exchange, [("Upload-Offset", "\(received)")])
            }
        }
        return received
    }

    /// The response to the complete upload, after one request or several.
    private static func finish(_ name: String, _ upload: UploadStore.Upload, _ exchange: Exchange) throws -> Response {
        let finished = exchange.uploads.finish(name, by: upload.writer) { bytes in
            String(decoding: Hexadecimal.lowercase(Array(SHA256.hash(data: bytes))), as: UTF8.self)
        }
        guard let finished else { throw Connection.PeerLeft() }
        guard let digest = finished.digest else {
            return try inconsistent(finished.count, finished.length ?? finished.count, state(of: finished))
        }
        var response = try Reply.json(["bytes": JSON(finished.count), "sha256": .string(digest)])
        add(state(of: finished), to: &response)
        return response
    }

    // MARK: Fields

    private static func state(of upload: UploadStore.Upload) -> [(String, String)] {
        var fields = [
            ("Upload-Offset", "\(upload.count)"), ("Upload-Complete", upload.digest == nil ? "?0" : "?1"),
        ]
        if let length = upload.length { fields.append(("Upload-Length", "\(length)")) }
        return fields
    }

    private static func tell(_ exchange: Exchange, _ fields: [(String, String)]) async throws {
        try await exchange.connection.sendInterim(
            104, reason: "Upload Resumption Supported", fields: fields + [("Upload-Draft-Interop-Version", version)])
    }

    private static func answer(_ status: Int, _ fields: [(String, String)], _ text: String = "") throws -> Response {
        var response = try Reply.text(text, status: status)
        add(fields, to: &response)
        return response
    }

    private static func problem(
        _ status: Int, _ type: String, _ title: String, _ fields: [(String, String)], _ members: [(String, JSON)] = []
    ) throws -> Response {
        let kind = JSON.string("https://iana.org/assignments/http-problem-types#" + type)
        let json = JSON.object([("type", kind), ("title", .string(title))] + members)
        var response = try Reply.bytes(json.pretty, type: "application/problem+json", status: status)
        add(fields, to: &response)
        return response
    }

    /// The response to an upload whose length differs from its declared length.
    private static func inconsistent(_ count: Int, _ length: Int, _ fields: [(String, String)] = []) throws -> Response
    {
        try problem(
            400, "inconsistent-upload-length", "the upload has \(count) bytes, but \(length) were declared", fields)
    }

    private static func add(_ fields: [(String, String)], to response: inout Response) {
        for (name, value) in fields {
            guard let name = HTTPField.Name(name) else { continue }
            response.headers[name] = value
        }
    }

    /// The number in a field; nil if there is none.
    private static func count(_ exchange: Exchange, _ name: String) throws -> Int? {
        guard let text = exchange.field(name) else { return nil }
        guard let value = Number.digits(text) else { throw Problem(400, "\(name) is no number") }
        return value
    }
}

#endif
