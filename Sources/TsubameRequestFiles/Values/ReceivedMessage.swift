// ReceivedMessage: the facts about a request or a response that queries look at.

import TsubameWire

/// A message with its whole body, free of the client that sent or received it.
package struct ReceivedMessage: Sendable {
    /// The facts about the server's certificate that have a text.
    package struct Certificate: Sendable {
        package let name: String
        package let value: FileValue

        package init(name: String, value: FileValue) { (self.name, self.value) = (name, value) }
    }

    /// 0 for a request.
    package var status: Int
    /// Such as `HTTP/1.1`.
    package var version: String
    package var url: String
    /// The IP address of the server, without its port.
    package var address = ""
    package var fields: [(name: String, value: String)]
    /// The body without content codings.
    package var body: [UInt8]
    /// The body as it was received.
    package var receivedBody: [UInt8]
    /// The body as text, by its charset; nil if its bytes are not of that charset.
    package let text: String?
    package var milliseconds: Int64 = 0
    /// The URLs of the redirects before this response, in their order.
    package var redirects: [String] = []
    package var certificate: [Certificate] = []
    /// The JSON of the body, once a check has looked at it.
    let parsed = ParsedBody()

    package init(
        status: Int, version: String, url: String, fields: [(name: String, value: String)], body: [UInt8]
    ) {
        self.status = status
        self.version = version
        self.url = url
        self.fields = fields
        self.body = body
        receivedBody = body
        let type = fields.first { $0.name.lowercased() == "content-type" }?.value
        text = try? decodeTextStrictly(body, contentType: type)
    }

    func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Whether the body is read by the rules of HTML instead of those of XML.
    var isHTML: Bool { values(of: "content-type").first?.lowercased().hasPrefix("text/html") ?? false }
}
