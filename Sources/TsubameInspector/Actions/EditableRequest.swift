// EditableRequest: the request of a call, as the page shows it to be edited and sent again.

import HTTPTypes
import Tsubame
package import TsubameCore

/// A request with its secrets withheld. A part that comes back as it was shown keeps its secrets.
package struct EditableRequest: Sendable, Hashable, Codable {
    /// Why a request cannot be sent.
    package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String
    }

    package var method: String
    package var url: String
    package var headers: [HTTPArchive.Pair]
    /// nil for no body, and for a body that is no text or that the log did not keep.
    package var body: String?

    /// The request as the caller made it, with the URL to which it was sent.
    package init(_ call: LoggedCall) async {
        let (request, redaction) = (call.withRecordedBody(call.request), call.request.redaction)
        method = request.shownMethod
        let uri = call.firstSent?.uri ?? request.uri
        url = uri.map { redaction.url($0.string) } ?? redaction.invalidURL(request.shownURL)
        headers = request.headers.map { HTTPArchive.Pair($0.name.rawName, redaction.value(of: $0)) }
        body = nil
        guard request.body.bytesInMemory != nil, !request.headers.contains(.contentEncoding) else { return }
        let sent = await call.entries(showsSecrets: false).first?.request.postData
        if let sent, sent.encoding == nil, !sent.isCoded, !sent.isIncomplete { body = sent.text }
    }

    /// The request to send.
    /// - Parameters:
    ///   - call: the call whose request was shown.
    ///   - edited: the request as it came back; nil for the one that was shown.
    /// - Throws: ``Problem`` if the call's body was not kept, or if a part is invalid.
    package func request(of call: LoggedCall, edited: EditableRequest? = nil) throws(Problem) -> Request {
        var request = call.withRecordedBody(call.request)
        let edited = edited ?? self
        if edited.method != method {
            guard let method = HTTPRequest.Method(edited.method) else {
                throw Problem(description: "\(Redaction.printable(edited.method)) is no method")
            }
            request.method = method
        }
        if edited.url != url {
            try Self.check(edited.url, "the URL")
            let made = Request(request.method, url: edited.url)
            if case .invalid(let error) = made.target { throw Problem(description: error.reason) }
            request.target = made.target
            // Secrets go to the origin that had them.
            if made.uri?.origin != (call.firstSent?.uri ?? call.request.uri)?.origin { try refuseSecrets(edited, call) }
        }
        request.headers = try fields(edited.headers, of: call.request)
        if edited.body != body {
            let text = edited.body ?? ""
            // A placeholder that the client itself sent is no secret.
            if body?.contains(Redaction.placeholder) == true { try Self.check(text, "the body") }
            request.body = text.isEmpty ? .empty : .bytes(Bytes(text), contentType: request.body.contentType)
        } else if !request.body.isEmpty {
            if case .failed = request.body.content {
                throw Problem(description: "the log did not keep the body of this call; give another one")
            }
            guard request.body.canBeSentAgain else {
                throw Problem(description: "the body of this call can be read once only; give another one")
            }
        }
        return request
    }

    /// For a request to another origin.
    private func refuseSecrets(_ edited: EditableRequest, _ call: LoggedCall) throws(Problem) {
        for pair in edited.headers {
            try Self.check(pair.value, "the field \(Redaction.printable(pair.name))", isElsewhere: true)
        }
        guard edited.body == body, !call.withRecordedBody(call.request).body.isEmpty else { return }
        guard let body else {
            throw Problem(description: "the body is not shown, so it does not go to another origin; give another one")
        }
        try Self.check(body, "the body", isElsewhere: true)
    }

    private func fields(_ edited: [HTTPArchive.Pair], of request: Request) throws(Problem) -> RequestHeaders {
        var known = Array(zip(headers, request.headers))
        var fields = RequestHeaders()
        for pair in edited {
            if let index = known.firstIndex(where: { $0.0 == pair }) {
                fields.append(known.remove(at: index).1)
            } else {
                try Self.check(pair.value, "the field \(Redaction.printable(pair.name))")
                fields.append(pair.name, pair.value)
            }
        }
        if let problem = fields.problem { throw Problem(description: problem) }
        return fields
    }

    private static func check(_ text: String, _ what: String, isElsewhere: Bool = false) throws(Problem) {
        if text.contains(Redaction.placeholder) {
            let advice =
                isElsewhere
                ? "it does not go to another origin; remove it, or write the whole value"
                : "leave it as it was, or write the whole value"
            throw Problem(description: "\(what) holds a withheld value: \(advice)")
        }
    }
}
