// Exchange: one request as an endpoint sees it.
#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore

struct Exchange: Sendable {
    let request: Request
    let connection: Connection
    let settings: HTTPBin
    let sessions: SessionStore
    let uploads: UploadStore
    let target: Target
    /// The decoded segments that the route's placeholders matched.
    var parameters: [String] = []

    init(
        request: Request, connection: Connection, settings: HTTPBin, sessions: SessionStore, uploads: UploadStore
    ) {
        self.request = request
        self.connection = connection
        self.settings = settings
        self.sessions = sessions
        self.uploads = uploads
        target = Target(request.head.path ?? "/")
    }

    var method: String {
        request.method.rawValue
    }

    var isHead: Bool {
        request.method == .head
    }

    func arguments() throws -> Pairs {
        try Pairs(urlEncoded: target.query)
    }

    /// The values of a field, joined with commas, their bytes as ISO-8859-1 (as in WSGI); nil if there is no such
    /// field.
    func field(_ name: HTTPField.Name) -> String? {
        let fields = request.headers[fields: name]
        guard !fields.isEmpty else { return nil }
        return fields.map { $0.withUnsafeBytesOfValue { String(latin1: $0) } }.joined(separator: ",")
    }

    /// The values of a field whose name is not predefined.
    func field(_ name: String) -> String? {
        HTTPField.Name(name).flatMap(field)
    }

    /// Every field as gunicorn and Werkzeug give them: names in title case, equal names joined, bytes as ISO-8859-1.
    /// Names with an underscore are left out, because CGI cannot tell them from names with a hyphen.
    var fields: [(name: String, value: String)] {
        var places: [String: Int] = [:]
        var result: [(name: String, value: String)] = []
        if let host = request.head.authority { result.append(("Host", String(latin1: host.utf8))) }
        for field in request.headers where !field.name.rawName.contains("_") {
            let name = Self.titleCased(field.name.rawName)
            let value = field.withUnsafeBytesOfValue { String(latin1: $0) }
            if let place = places[name] {
                result[place].value += "," + value
            } else {
                places[name] = result.count
                result.append((name, value))
            }
        }
        return result
    }

    /// The peer's address, or the address that a proxy reports.
    var origin: String {
        field("X-Forwarded-For") ?? connection.channel.remoteAddress?.ipAddress ?? ""
    }

    /// Host and port for URLs in the response. Empty if the Host field holds no valid host.
    var host: String {
        guard let named = request.head.authority else {
            let local = connection.channel.localAddress
            let address = local?.ipAddress ?? ""
            return (address.contains(":") ? "[\(address)]" : address) + ":\(local?.port ?? 0)"
        }
        let host = (named.hasSuffix(":80") ? String(named.dropLast(3)) : named).lowercased()
        let isPlausible = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: ".-:[]".utf8.contains(byte)
            }
        }
        return isPlausible ? host : ""
    }

    /// The connection's scheme, unless a proxy reports another one.
    var scheme: String {
        field("X-Forwarded-Proto") ?? field("X-Forwarded-Protocol")
            ?? (field("X-Forwarded-Ssl") == "on" || settings.tls != nil ? "https" : "http")
    }

    /// The whole body.
    ///
    /// - Throws: a ``Problem`` with 413 if it is longer than ``HTTPBin/bodyLimit``.
    func body() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in request.body {
            guard buffer.readableBytes <= settings.bodyLimit - bytes.count else {
                throw Problem(413, "the body is longer than \(settings.bodyLimit) bytes")
            }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }

    func form() async throws -> FormBody {
        try FormBody(try await body(), contentType: field(.contentType) ?? "")
    }

    /// Python's `str.title()`: a letter is upper case unless a letter stands before it.
    private static func titleCased(_ name: String) -> String {
        var afterLetter = false
        let cased = name.utf8.map { byte -> UInt8 in
            let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            defer { afterLetter = isLetter }
            guard isLetter else { return byte }
            return afterLetter ? byte | 0x20 : byte & ~0x20
        }
        return String(decoding: cased, as: UTF8.self)
    }
}

#endif
