// Reply: builds responses.
#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore

enum Reply {
    static func json(_ value: JSON, status: Int = 200, fields: HTTPFields = [:]) throws -> Response {
        try bytes(value.pretty, type: "application/json", status: status, fields: fields)
    }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200) throws -> Response {
        try bytes(Array(text.utf8), type: type, status: status)
    }

    /// A page for a request that no route takes. The text is not HTML-escaped.
    static func page(_ text: String, status: Int) throws -> Response {
        let title = "\(status) \(reasons[status] ?? "")"
        let page =
            "<!DOCTYPE html>\n<html lang=\"en\"><title>\(title)</title>\n<h1>\(title)</h1>\n<p>\(text)</p>\n</html>\n"
        return try Self.text(page, type: "text/html; charset=utf-8", status: status)
    }

    /// A response without content. Its type is Flask's default.
    static func empty(status: Int, fields: HTTPFields = [:]) throws -> Response {
        try bytes([], type: "text/html; charset=utf-8", status: status, fields: fields)
    }

    static func bytes(_ bytes: [UInt8], type: String?, status: Int = 200, fields: HTTPFields = [:]) throws -> Response {
        var fields = fields
        if let type { fields[.contentType] = type }
        return Response(
            status: try Self.status(status), headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A body of unknown length, made piece by piece, with a pause before each piece but the first. The response to
    /// HEAD gives the length instead, because no body shows where it would end.
    static func pieces(
        _ count: Int, type: String, status: Int = 200, delay: Double = 0, to exchange: Exchange,
        piece: @escaping @Sendable (Int) -> [UInt8]
    ) throws -> Response {
        var response = Response(status: try Self.status(status), headers: [.contentType: type])
        if exchange.isHead {
            let length = (0..<count).reduce(0) { $0 + piece($1).count }
            response.headers[.contentLength] = "\(length)"
            return response
        }
        let connection = exchange.connection
        response.body = ResponseBody { writer in
            for index in 0..<count {
                if index > 0 { try await connection.pause(for: .seconds(delay)) }
                try await writer.write(ByteBuffer(bytes: piece(index)))
            }
            try await writer.finish(nil)
        }
        return response
    }

    /// A status that can end an exchange: 200 to 999.
    static func status(_ code: Int) throws -> HTTPResponse.Status {
        guard (200...999).contains(code) else { throw Problem(400, "not a final status: \(code)") }
        return HTTPResponse.Status(code: code)
    }

    private static let reasons = [404: "Not Found", 405: "Method Not Allowed"]
}

#endif
