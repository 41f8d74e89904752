// HTTPArchive+Codable: an archive as JSON. Reading forgives what programs commonly leave out.

extension HTTPArchive: Codable {
    private enum Keys: String, CodingKey { case log, version, creator, entries }

    package init(from decoder: any Decoder) throws {
        let log = try decoder.container(keyedBy: Keys.self).nestedContainer(keyedBy: Keys.self, forKey: .log)
        creator = try log.decodeIfPresent(Creator.self, forKey: .creator) ?? Creator(name: "", version: "")
        entries = try log.decode([Entry].self, forKey: .entries)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var log = container.nestedContainer(keyedBy: Keys.self, forKey: .log)
        try log.encode("1.2", forKey: .version)
        try log.encode(creator, forKey: .creator)
        try log.encode(entries, forKey: .entries)
    }
}

extension HTTPArchive.Entry: Codable {
    private enum Keys: String, CodingKey {
        case startedDateTime, time, request, response, cache, timings, serverIPAddress, connection, comment
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        self.init(
            startedDateTime: try members.text(.startedDateTime),
            request: try members.decode(HTTPArchive.Request.self, forKey: .request),
            response: try members.decode(HTTPArchive.Response.self, forKey: .response),
            timings: try members.decodeIfPresent(HTTPArchive.Timings.self, forKey: .timings) ?? HTTPArchive.Timings(),
            serverIPAddress: try? members.decodeIfPresent(String.self, forKey: .serverIPAddress),
            connection: try? members.decodeIfPresent(String.self, forKey: .connection))
        comment = try? members.decodeIfPresent(String.self, forKey: .comment)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode(startedDateTime, forKey: .startedDateTime)
        try members.encode(timings.total, forKey: .time)
        try members.encode(request, forKey: .request)
        try members.encode(response, forKey: .response)
        try members.encode([String: String](), forKey: .cache)
        try members.encode(timings, forKey: .timings)
        try members.encodeIfPresent(serverIPAddress, forKey: .serverIPAddress)
        try members.encodeIfPresent(connection, forKey: .connection)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.Request: Decodable {
    private enum Keys: String, CodingKey {
        case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        self.init(
            method: try members.decode(String.self, forKey: .method),
            url: try members.decode(String.self, forKey: .url),
            httpVersion: try members.text(.httpVersion), cookies: try members.list(.cookies),
            headers: try members.list(.headers), queryString: try members.list(.queryString),
            postData: try members.decodeIfPresent(HTTPArchive.PostData.self, forKey: .postData),
            headersSize: members.size(.headersSize), bodySize: members.size(.bodySize))
    }
}

extension HTTPArchive.PostData: Codable {
    private enum Keys: String, CodingKey {
        case mimeType, text, params, encoding, ownEncoding = "_encoding", isCoded = "_coded", isIncomplete =
            "_incomplete"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        let (text, type) = (try members.text(.text), try members.text(.mimeType))
        self.init(
            mimeType: type, text: try text.isEmpty ? Self.form(members, type) : text,
            encoding: try members.decodeIfPresent(String.self, forKey: .ownEncoding)
                ?? members.decodeIfPresent(String.self, forKey: .encoding), isCoded: members.flag(.isCoded),
            isIncomplete: members.flag(.isIncomplete))
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode(mimeType, forKey: .mimeType)
        try members.encode(text, forKey: .text)
        try members.encodeIfPresent(encoding, forKey: .ownEncoding)
        if isCoded { try members.encode(true, forKey: .isCoded) }
        if isIncomplete { try members.encode(true, forKey: .isIncomplete) }
    }
}

extension HTTPArchive.PostData {
    private struct Parameter: Decodable {
        let name: String
        let value: String?
        let fileName: String?
        let contentType: String?
    }

    /// The pairs that an archive may have in place of the text of a form.
    private static func form(_ members: KeyedDecodingContainer<Keys>, _ type: String) throws -> String {
        let parameters = try members.decodeIfPresent([Parameter].self, forKey: .params) ?? []
        if let boundary = boundary(of: type), !parameters.isEmpty {
            return parameters.map { "--\(boundary)\r\n\(part($0))\r\n" }.joined() + "--\(boundary)--\r\n"
        }
        return parameters.map { parameter in
            "\(PercentEncoding.encode(Array(parameter.name.utf8)))=\(PercentEncoding.encode(Array((parameter.value ?? "").utf8)))"
        }.joined(separator: "&")
    }

    /// The boundary in a media type of several parts.
    private static func boundary(of type: String) -> String? {
        guard type.lowercased().hasPrefix("multipart/") else { return nil }
        let parameter = type.split(separator: ";").map { $0.drop { $0 == " " } }
            .first { $0.lowercased().hasPrefix("boundary=") }
        let value = parameter?.dropFirst("boundary=".count).filter { $0 != "\"" && !$0.isNewline }
        return value?.isEmpty == false ? value : nil
    }

    /// The head and the content of a part, as browsers write them.
    private static func part(_ parameter: Parameter) -> String {
        func quoted(_ text: String) -> String { "\"\(PercentEncoding.partName(text))\"" }
        let file = parameter.fileName.map { "; filename=\(quoted($0))" } ?? ""
        let type = parameter.contentType.map { "Content-Type: \($0.filter { !$0.isNewline })\r\n" } ?? ""
        return
            "Content-Disposition: form-data; name=\(quoted(parameter.name))\(file)\r\n\(type)\r\n\(parameter.value ?? "")"
    }
}

extension HTTPArchive.Response: Decodable {
    private enum Keys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        self.init(
            status: try members.number(.status), statusText: try members.text(.statusText),
            httpVersion: try members.text(.httpVersion), cookies: try members.list(.cookies),
            headers: try members.list(.headers),
            content: try members.decodeIfPresent(HTTPArchive.Content.self, forKey: .content) ?? HTTPArchive.Content(),
            redirectURL: try members.text(.redirectURL), headersSize: members.size(.headersSize),
            bodySize: members.size(.bodySize))
    }
}

extension HTTPArchive.Content: Codable {
    private enum Keys: String, CodingKey {
        case size, mimeType, text, encoding, isCoded = "_coded", isIncomplete = "_incomplete"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        self.init(
            size: members.size(.size), mimeType: try members.text(.mimeType),
            text: try members.decodeIfPresent(String.self, forKey: .text),
            encoding: try members.decodeIfPresent(String.self, forKey: .encoding), isCoded: members.flag(.isCoded),
            isIncomplete: members.flag(.isIncomplete))
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode(size, forKey: .size)
        try members.encode(mimeType, forKey: .mimeType)
        try members.encodeIfPresent(text, forKey: .text)
        try members.encodeIfPresent(encoding, forKey: .encoding)
        if isCoded { try members.encode(true, forKey: .isCoded) }
        if isIncomplete { try members.encode(true, forKey: .isIncomplete) }
    }
}

extension HTTPArchive.Timings: Decodable {
    private enum Keys: String, CodingKey { case blocked, dns, connect, ssl, send, wait, receive }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        blocked = try members.decodeIfPresent(Double.self, forKey: .blocked) ?? -1
        dns = try members.decodeIfPresent(Double.self, forKey: .dns) ?? -1
        connect = try members.decodeIfPresent(Double.self, forKey: .connect) ?? -1
        ssl = try members.decodeIfPresent(Double.self, forKey: .ssl) ?? -1
        send = try members.decodeIfPresent(Double.self, forKey: .send) ?? 0
        wait = try members.decodeIfPresent(Double.self, forKey: .wait) ?? 0
        receive = try members.decodeIfPresent(Double.self, forKey: .receive) ?? 0
    }
}

extension KeyedDecodingContainer {
    /// A text that may be missing.
    fileprivate func text(_ key: Key) throws -> String { try decodeIfPresent(String.self, forKey: key) ?? "" }

    /// A list that may be missing.
    fileprivate func list(_ key: Key) throws -> [HTTPArchive.Pair] {
        try decodeIfPresent([HTTPArchive.Pair].self, forKey: key) ?? []
    }

    /// A whole number. The decoder does not name the place of one that is out of range.
    fileprivate func number(_ key: Key) throws -> Int {
        guard let number = Int(exactly: try decode(Double.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not a whole number")
        }
        return number
    }

    /// A member of our own that is only written if it is true.
    fileprivate func flag(_ key: Key) -> Bool { (try? decodeIfPresent(Bool.self, forKey: key)) ?? false }

    /// A number of bytes. No decision depends on it, so any other value counts as unknown.
    fileprivate func size(_ key: Key) -> Int { (try? decodeIfPresent(Int.self, forKey: key)) ?? -1 }
}
