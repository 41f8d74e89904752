// SentRequest: a request that an HTTP/2 session sends.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

struct SentRequest {
    var method = "GET"
    var isSecure = true
    var authority = "www.example.com"
    var target = "/"
    var headers: HTTPFields = [:]
    var length: Int64?
    var isWhole = true
    var sharesFields = false

    @discardableResult
    func open(in session: inout HTTP2Session) throws(WireError) -> HTTP2Stream {
        try session.open(
            method: method, isSecure: isSecure, authority: authority, target: target, headers: headers, length: length,
            limits: Limits(), sharesFields: sharesFields, endsStream: isWhole)
    }

    /// The single frame that holds the request.
    func frame(in session: inout HTTP2Session) throws -> SentFrame {
        session.output.removeAll()
        try open(in: &session)
        let frames = try #require(SentFrame.frames(session.output))
        session.output.removeAll()
        #expect(frames.count == 1)
        return try #require(frames.first)
    }

    static func fields(_ fields: KeyValuePairs<String, String>) throws -> HTTPFields {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return headers
    }
}
