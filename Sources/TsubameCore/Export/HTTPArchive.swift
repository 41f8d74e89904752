// HTTPArchive: recorded exchanges in the HTTP Archive format, HAR 1.2.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
package import HTTPTypes

/// Recorded exchanges, as browsers and proxies store them in `.har` files.
///
/// Numbers follow HAR 1.2: sizes are in bytes, times in milliseconds, and -1 means that a value is not known. A reader
/// keeps the members that this type declares and drops all others.
package struct HTTPArchive: Sendable, Hashable {
    /// The program that wrote an archive.
    package struct Creator: Sendable, Hashable, Codable {
        package var name: String
        package var version: String

        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    /// A header, a parameter of a query, or a cookie.
    package struct Pair: Sendable, Hashable, Codable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package struct PostData: Sendable, Hashable {
        package var mimeType: String
        package var text: String
        /// "base64", or nil if ``text`` is the body itself. HAR 1.2 has no such member here, so its name in the file
        /// starts with an underscore.
        package var encoding: String?
        /// Whether the content still has its content codings; a member of our own.
        package var isCoded: Bool
        /// Whether the response ended the exchange before all of the body was sent; a member of our own.
        package var isIncomplete: Bool

        package init(
            mimeType: String, text: String, encoding: String? = nil, isCoded: Bool = false, isIncomplete: Bool = false
        ) {
            self.mimeType = mimeType
            self.text = text
            self.encoding = encoding
            self.isCoded = isCoded
            self.isIncomplete = isIncomplete
        }
    }

    package struct Request: Sendable, Hashable, Encodable {
        package var method: String
        package var url: String
        package var httpVersion: String
        package var cookies: [Pair]
        package var headers: [Pair]
        package var queryString: [Pair]
        package var postData: PostData?
        package var headersSize: Int
        package var bodySize: Int

        package init(
            method: String, url: String, httpVersion: String = "", cookies: [Pair] = [], headers: [Pair] = [],
            queryString: [Pair] = [], postData: PostData? = nil, headersSize: Int = -1, bodySize: Int = -1
        ) {
            self.method = method
            self.url = url
            self.httpVersion = httpVersion
            self.cookies = cookies
            self.headers = headers
            self.queryString = queryString
            self.postData = postData
            self.headersSize = headersSize
            self.bodySize = bodySize
        }
    }

    package struct Content: Sendable, Hashable {
        /// The number of bytes after decoding.
        package var size: Int
        package var mimeType: String
        /// nil if the archive does not hold the content.
        package var text: String?
        /// "base64", or nil if ``text`` is the content itself.
        package var encoding: String?
        /// Whether the content still has its content codings; a member of our own.
        package var isCoded: Bool
        /// Whether the reader gave the content up before its end; a member of our own.
        package var isIncomplete: Bool

        package init(
            size: Int = -1, mimeType: String = "", text: String? = nil, encoding: String? = nil, isCoded: Bool = false,
            isIncomplete: Bool = false
        ) {
            self.size = size
            self.mimeType = mimeType
            self.text = text
            self.encoding = encoding
            self.isCoded = isCoded
            self.isIncomplete = isIncomplete
        }
    }

    package struct Response: Sendable, Hashable, Encodable {
        /// 0 if no response came.
        package var status: Int
        package var statusText: String
        package var httpVersion: String
        package var cookies: [Pair]
        package var headers: [Pair]
        package var content: Content
        package var redirectURL: String
        package var headersSize: Int
        /// The number of bytes as they were received, before decoding.
        package var bodySize: Int

        package init(
            status: Int, statusText: String = "", httpVersion: String = "", cookies: [Pair] = [], headers: [Pair] = [],
            content: Content = Content(), redirectURL: String = "", headersSize: Int = -1, bodySize: Int = -1
        ) {
            self.status = status
            self.statusText = statusText
            self.httpVersion = httpVersion
            self.cookies = cookies
            self.headers = headers
            self.content = content
            self.redirectURL = redirectURL
            self.headersSize = headersSize
            self.bodySize = bodySize
        }
    }

    /// The phases of an exchange. ``connect`` includes ``ssl``.
    package struct Timings: Sendable, Hashable, Encodable {
        package var blocked = -1.0
        package var dns = -1.0
        package var connect = -1.0
        package var ssl = -1.0
        package var send = 0.0
        package var wait = 0.0
        package var receive = 0.0

        package init() {}

        /// The sum of the phases that are known. ``ssl`` is a part of ``connect`` and does not count again.
        package var total: Double {
            // A file may hold absurd times, whose sum would be infinite, and JSON has no infinity.
            min([blocked, dns, connect, send, wait, receive].filter { $0 > 0 }.reduce(0, +), 1e15)
        }
    }

    package struct Entry: Sendable, Hashable {
        /// In ISO 8601, for example `2026-11-21T04:35:47.250Z`.
        package var startedDateTime: String
        package var request: Request
        package var response: Response
        package var timings: Timings
        package var serverIPAddress: String?
        package var connection: String?
        package var comment: String?

        package init(
            startedDateTime: String, request: Request, response: Response, timings: Timings = Timings(),
            serverIPAddress: String? = nil, connection: String? = nil
        ) {
            self.startedDateTime = startedDateTime
            self.request = request
            self.response = response
            self.timings = timings
            self.serverIPAddress = serverIPAddress
            self.connection = connection
        }
    }

    package var creator: Creator
    package var entries: [Entry]

    package init(creator: Creator, entries: [Entry] = []) {
        self.creator = creator
        self.entries = entries
    }
}

/// The reason why a text is not an archive.
package struct HTTPArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place of the fault, such as `log.entries[3].request.url`; empty if the text is no JSON.
    package let place: String
    package let reason: String

    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String {
        "this is not an HTTP archive (HAR 1.2): \(place.isEmpty ? "" : place + " ")\(reason)"
    }
}

extension HTTPArchive {
    /// Reads an archive. A byte order mark before the JSON is ignored.
    /// - Throws: ``HTTPArchiveError`` with the place of the first fault.
    package init(json bytes: some Sequence<UInt8>) throws(HTTPArchiveError) {
        var data = Data(bytes)
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { data = data.dropFirst(3) }
        do {
            self = try JSONDecoder().decode(HTTPArchive.self, from: data)
        } catch let error as DecodingError {
            throw HTTPArchiveError(error)
        } catch {
            throw HTTPArchiveError(place: "", reason: "cannot be read: \(error)")
        }
    }

    /// The archive as JSON in UTF-8. Its entries stand in the order of their start, and equal archives give equal bytes.
    package func json() throws -> [UInt8] {
        var sorted = self
        sorted.sortEntries()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(sorted)) + [0x0A]
    }
}

extension HTTPArchive {
    /// Puts the entries into the order of their start. Programs write times in several zones. If a time is no time, all
    /// entries stay where they are.
    private mutating func sortEntries() {
        let times = entries.map(\.started)
        let known = times.compactMap(\.self)
        guard known.count == times.count else { return }
        entries = entries.indices.sorted { (known[$0], $0) < (known[$1], $1) }.map { entries[$0] }
    }

}

extension HTTPArchive.Entry {
    /// The start of the exchange; nil if the text is no time.
    package var started: Date? {
        let style = Date.ISO8601FormatStyle()
        return (try? style.parse(startedDateTime))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(startedDateTime))
    }
}

extension [HTTPArchive.Pair] {
    /// The pairs as fields. Programs write the pseudo-fields of HTTP/2 too, and several cookies as lines of one value.
    package var fields: HTTPFields {
        reduce(into: HTTPFields()) { fields, pair in
            guard let name = HTTPField.Name(pair.name) else { return }
            for value in pair.value.split(separator: "\n", omittingEmptySubsequences: false) {
                fields.appendSafely(HTTPField(name: name, value: String(value)))
            }
        }
    }
}

extension HTTPArchiveError {
    fileprivate init(_ error: DecodingError) {
        let (context, reason) =
            switch error {
            case .keyNotFound(let key, let context): (context, "has no “\(Redaction.name(key.stringValue))”")
            case .valueNotFound(_, let context): (context, "is null")
            case .typeMismatch(_, let context): (context, "has another type than HAR 1.2 says")
            case .dataCorrupted(let context): (context, context.codingPath.isEmpty ? "is no JSON" : "has a bad value")
            @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "cannot be read")
            }
        let place = context.codingPath.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + Redaction.name(key.stringValue)
            }
        }
        self.init(place: place, reason: place.isEmpty && reason == "is no JSON" ? "the text is no JSON" : reason)
    }
}
