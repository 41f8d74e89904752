// HTTPArchive+Exchange: an exchange as an entry of an archive.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
package import HTTPTypes
package import TsubamePlatform

/// An exchange that is over, with its bodies in memory. It holds its secrets; see ``ArchiveRedaction``.
package struct RecordedExchange: Sendable {
    package var request: Request
    /// The fields of the request as lines of the message.
    package var requestFields: [HTTPField]
    /// The body of the request; nil if it has none.
    package var requestBody: RecordedBody?
    /// The response, whose own body is not read.
    package var response: Response
    package var responseBody: RecordedBody
    package var started: Date
    package var timings: HTTPArchive.Timings

    package init(
        request: Request, requestFields: [HTTPField], requestBody: RecordedBody?, response: Response,
        responseBody: RecordedBody, started: Date, timings: HTTPArchive.Timings
    ) {
        self.request = request
        self.requestFields = requestFields
        self.requestBody = requestBody
        self.response = response
        self.responseBody = responseBody
        self.started = started
        self.timings = timings
    }
}

/// A body as an archive holds it.
package struct RecordedBody: Sendable, Hashable {
    /// The content without its content codings.
    package var content: Bytes
    /// The number of bytes as they went over the network.
    package var transferred: Int
    /// Whether the content still has its content codings, because one of them is unknown or the body is damaged.
    package var isCoded = false
    /// Whether the body was given up before its end, by its reader or by the server.
    package var isIncomplete = false

    package init(content: Bytes, transferred: Int, isCoded: Bool = false, isIncomplete: Bool = false) {
        self.content = content
        self.transferred = transferred
        self.isCoded = isCoded
        self.isIncomplete = isIncomplete
    }
}

extension HTTPArchive.Entry {
    package init(_ exchange: RecordedExchange) {
        let (request, response) = (exchange.request, exchange.response)
        let version = response.version?.description ?? ""
        let type = request.headers[.contentType] ?? request.body.contentType ?? ""
        self.init(
            startedDateTime: exchange.started.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            request: HTTPArchive.Request(
                method: request.method.rawValue, url: request.uri?.string ?? "", httpVersion: version,
                headers: exchange.requestFields.map { HTTPArchive.Pair($0.name.rawName, $0.value) },
                postData: exchange.requestBody.map { HTTPArchive.PostData($0, type: type) },
                bodySize: exchange.requestBody?.transferred ?? 0),
            response: HTTPArchive.Response(
                status: response.statusCode, statusText: response.status.reasonPhrase, httpVersion: version,
                headers: response.headers.fields.map { HTTPArchive.Pair($0.name.rawName, $0.value) },
                content: HTTPArchive.Content(exchange.responseBody, type: response.headers[.contentType] ?? ""),
                redirectURL: response.headers[.location] ?? "", bodySize: exchange.responseBody.transferred),
            timings: exchange.timings,
            serverIPAddress: response.connection.map { Self.address($0.remoteAddress) },
            connection: response.connection.map { "\($0.id)" })
        update()
    }

    /// An `address:port` without its port, and without the brackets around an IPv6 address.
    private static func address(_ text: String) -> String {
        guard let colon = text.lastIndex(of: ":") else { return text }
        // An IPv6 address of an archive has no port.
        if !text.hasPrefix("["), text.firstIndex(of: ":") != colon { return text }
        return text[..<colon].filter { $0 != "[" && $0 != "]" }
    }

    /// Makes the lists of the cookies and of the query's parameters anew, which repeat the fields and the URL.
    package mutating func update() {
        request.queryString = HTTPArchive.Pair.parameters(of: request.url)
        request.cookies = request.headers.flatMap { $0.hasName("cookie") ? HTTPArchive.Pair.cookies(in: $0.value) : [] }
        let lines = response.headers.filter { $0.hasName("set-cookie") }.flatMap { $0.value.split(separator: "\n") }
        response.cookies = lines.compactMap { HTTPArchive.Pair.cookies(in: $0.prefix { $0 != ";" }).first }
        response.redirectURL = response.headers.first { $0.hasName("location") }?.value ?? ""
    }
}

extension HTTPArchive.Pair {
    func hasName(_ name: String) -> Bool { self.name.lowercased() == name }

    /// The parameters of a URL's query, decoded.
    fileprivate static func parameters(of url: String) -> [HTTPArchive.Pair] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        let query = url[url.index(after: mark)...].prefix { $0 != "#" }
        return query.split(separator: "&").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                PercentEncoding.decodeLeniently(String($0), plusAsSpace: true)
            }
            return HTTPArchive.Pair(parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    /// The cookies of a `Cookie` field.
    fileprivate static func cookies(in value: some StringProtocol) -> [HTTPArchive.Pair] {
        value.split(separator: ";").map { cookie in
            let parts = cookie.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String($0.trimmingPrefix(while: \.isWhitespace))
            }
            return parts.count > 1 ? HTTPArchive.Pair(parts[0], parts[1]) : HTTPArchive.Pair("", parts[0])
        }
    }
}

extension HTTPArchive {
    /// A text for JSON that stands for exactly these bytes: the bytes themselves if they are UTF-8, or else in base64.
    static func text(of bytes: some Collection<UInt8>) -> (text: String, encoding: String?) {
        if let text = String(validating: bytes, as: UTF8.self) { return (text, nil) }
        return (Data(bytes).base64EncodedString(), "base64")
    }

    /// - Returns: nil if the text is not in the encoding that it names.
    static func bytes(of text: String, encoding: String?) -> [UInt8]? {
        switch encoding?.lowercased() {
        case nil, "": Array(text.utf8)
        case "base64": Data(base64Encoded: text).map { Array($0) }
        default: nil
        }
    }
}

extension HTTPArchive.PostData {
    package init(_ body: RecordedBody, type: String) {
        let (text, encoding) = HTTPArchive.text(of: body.content)
        self.init(
            mimeType: type, text: text, encoding: encoding, isCoded: body.isCoded, isIncomplete: body.isIncomplete)
    }

    /// nil if the text is not in the encoding that it names.
    package var bytes: [UInt8]? {
        get { HTTPArchive.bytes(of: text, encoding: encoding) }
        set { (text, encoding) = HTTPArchive.text(of: newValue ?? []) }
    }
}

extension HTTPArchive.Content {
    package init(_ body: RecordedBody, type: String) {
        let (text, encoding) = HTTPArchive.text(of: body.content)
        self.init(
            size: body.content.count, mimeType: type, text: text, encoding: encoding, isCoded: body.isCoded,
            isIncomplete: body.isIncomplete)
    }

    /// nil if the text is missing, or is not in the encoding that it names.
    package var bytes: [UInt8]? {
        get { text.flatMap { HTTPArchive.bytes(of: $0, encoding: encoding) } }
        set {
            let (text, encoding) = HTTPArchive.text(of: newValue ?? [])
            (self.text, self.encoding) = (text, encoding)
            size = newValue?.count ?? 0
        }
    }
}

extension HTTPArchive.Timings {
    /// The phases of an exchange.
    /// - Parameters:
    ///   - timings: the times of its steps. Those before `start` belong to an earlier exchange of the call.
    ///   - start: when the exchange began, and `end`, when the last byte of its body had been read.
    package init(_ timings: Timings, from start: MonotonicTime, to end: MonotonicTime) {
        self.init()
        var mark = start
        /// The milliseconds since the last step; -1 if this step was not done.
        func phase(until time: MonotonicTime) -> Double {
            guard time >= mark, time != 0 else { return -1 }
            defer { mark = time }
            return Self.milliseconds(time - mark)
        }
        let isNew = timings.connectedAt > start
        if isNew {
            dns = phase(until: timings.resolvedAt)
            connect = phase(until: max(timings.connectedAt, timings.securedAt))
            if timings.securedAt >= timings.connectedAt {
                ssl = Self.milliseconds(timings.securedAt - timings.connectedAt)
            }
            send = max(phase(until: timings.sentAt), 0)
        } else {
            // The exchange waited for a connection that was open.
            blocked = phase(until: timings.sentAt)
        }
        wait = max(phase(until: timings.headAt), 0)
        receive = max(phase(until: end), 0)
    }

    private static func milliseconds(_ time: MonotonicTime) -> Double { Double(time / 1000) / 1000 }
}
