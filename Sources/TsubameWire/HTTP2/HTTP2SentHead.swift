// HTTP2SentHead: a readable form of the head of a request that is sent over HTTP/2.

package import HTTPTypes
package import TsubameCore

package enum HTTP2SentHead {
    /// A request line and `host` instead of the pseudo-fields, followed by the fields that are sent.
    /// - Throws: the errors of
    ///   ``HTTP2Session/open(method:isSecure:authority:target:headers:length:limits:endsStream:)``.
    package static func bytes(
        method: String, authority: String, target: String, headers: HTTPFields, length: Int64?
    ) throws(WireError) -> Bytes {
        var fields = HTTP2RequestFields()
        try fields.collect(
            method: method, isSecure: true, authority: authority, target: target, headers: headers, length: length)
        return Bytes("\(method) \(target) HTTP/2\r\n" + fields.lines + "\r\n")
    }
}

extension HTTP2RequestFields {
    /// One line for each field. Of the pseudo-fields, only the authority has a line.
    fileprivate var lines: String {
        var text = ""
        forEach { name, value in
            let name = ReceivedHead.text(name)
            guard !name.hasPrefix(":") || name == ":authority" else { return }
            text += "\(name == ":authority" ? "host" : name): \(ReceivedHead.text(value))\r\n"
        }
        return text
    }
}
