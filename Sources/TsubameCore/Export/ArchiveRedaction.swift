// ArchiveRedaction: withholds the secrets of recorded exchanges.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes

/// Withholds the secrets of entries, and remembers their values.
///
/// An entry loses credentials, the values of cookies, and all values with a secret name in the URL, in fields, in forms,
/// in JSON and in multipart bodies. The value is then searched for in the whole archive, because a server may repeat it
/// under another name.
package struct ArchiveRedaction: Sendable {
    /// The values that have been withheld so far.
    package private(set) var secrets = SecretValues()
    /// How many values there are.
    package private(set) var count = 0

    package init() {}

    /// Withholds everything in an entry that has a secret name.
    package mutating func redact(_ entry: inout HTTPArchive.Entry, by rules: Redaction) {
        redact(&entry.request, by: rules)
        let content = entry.response.content
        entry.response.headers = entry.response.headers.map { redacted($0, by: rules) }
        if let bytes = content.bytes {
            entry.response.content.bytes = redacted(bytes, type: content.mimeType, isCoded: content.isCoded, by: rules)
        } else if content.text != nil {
            // Nothing can be found in a text that cannot be decoded.
            entry.response.content.text = Redaction.placeholder
        }
        entry.update()
    }

    /// Withholds everything in a request that has a secret name. The lists of cookies and parameters stay as they are.
    package mutating func redact(_ request: inout HTTPArchive.Request, by rules: Redaction) {
        request.url = redacted(url: request.url, by: rules)
        request.headers = request.headers.map { redacted($0, by: rules) }
        guard let body = request.postData else { return }
        if let bytes = body.bytes {
            request.postData?.bytes = redacted(bytes, type: body.mimeType, isCoded: body.isCoded, by: rules)
        } else {
            request.postData?.text = Redaction.placeholder
        }
    }

    /// Withholds the remembered values in an entry.
    package func scrub(_ entry: inout HTTPArchive.Entry) {
        guard !secrets.isEmpty else { return }
        scrub(&entry.request.url)
        for index in entry.request.headers.indices { scrub(&entry.request.headers[index].value) }
        for index in entry.response.headers.indices { scrub(&entry.response.headers[index].value) }
        scrub(&entry.response.statusText)
        if var comment = entry.comment {
            scrub(&comment)
            entry.comment = comment
        }
        // Bytes, because a value is not found in base64.
        if let body = entry.request.postData, let bytes = body.bytes,
            let shown = scrubbed(bytes, body.mimeType, keepsNumbers: false)
        {
            entry.request.postData?.bytes = shown
        }
        let content = entry.response.content
        if let bytes = content.bytes, let shown = scrubbed(bytes, content.mimeType, keepsNumbers: true) {
            entry.response.content.bytes = shown
        }
        entry.update()
        for index in entry.request.queryString.indices { scrub(&entry.request.queryString[index].value) }
    }

    /// A body without the remembered values; nil if it holds none. JSON stays JSON.
    /// - Parameter keepsNumbers: whether a number becomes 0, and not the placeholder, which fits any value.
    private func scrubbed(_ bytes: [UInt8], _ type: String, keepsNumbers: Bool) -> [UInt8]? {
        guard let plain = secrets.replaced(in: bytes) else { return nil }
        guard Self.hasMembers(bytes, type) else { return plain }
        if plain.elementsEqual(Redaction.placeholder.utf8) { return Array("\"\(Redaction.placeholder)\"".utf8) }
        let json = JSONRedaction(bytes[...], by: Redaction(secrets: []), keepsNumbers: keepsNumbers, values: secrets)
        // Text beside the JSON, as in an event stream.
        return secrets.replaced(in: json.output) ?? json.output
    }

    private func scrub(_ text: inout String) {
        if let shown = secrets.replaced(in: Array(text.utf8)) { text = String(decoding: shown, as: UTF8.self) }
    }

    private mutating func learn(_ value: some Collection<UInt8>, by rules: Redaction) {
        // A word such as “password” is in too many texts, and “[redacted]” is no secret.
        let text = String(decoding: value, as: UTF8.self)
        guard !rules.secrets.contains(text.lowercased()), !Redaction.placeholder.contains(text) else { return }
        if secrets.insert(value) { count += 1 }
    }

    // MARK: The parts of an entry

    private mutating func redacted(url: String, by rules: Redaction) -> String {
        var withheld: [ArraySlice<UInt8>] = []
        let shown = rules.url(url, withheld: &withheld)
        for value in withheld { learn(written: value, by: rules) }
        return shown
    }

    /// Remembers a value as it is written in a URL, in a form or in JSON, and decoded.
    private mutating func learn(written value: ArraySlice<UInt8>, by rules: Redaction) {
        if value.first == UInt8(ascii: "\""), let text = Self.string(json: value) {
            return learn(text.utf8, by: rules)
        }
        learn(value, by: rules)
        let text = String(decoding: value, as: UTF8.self)
        if let decoded = PercentEncoding.decodeBytes(text) { learn(decoded, by: rules) }
        learn(PercentEncoding.decodeLeniently(text, plusAsSpace: true).utf8, by: rules)
    }

    private mutating func redacted(_ header: HTTPArchive.Pair, by rules: Redaction) -> HTTPArchive.Pair {
        var header = header
        switch header.name.lowercased() {
        case "cookie":
            header.value = header.value.split(separator: ";").map { cookie in
                redacted(cookie: cookie.drop { $0 == " " || $0 == "\t" }, by: rules)
            }.joined(separator: "; ")
        case "set-cookie":
            // Browsers write several cookies as lines of one value. In Swift, "\r\n" is one character.
            header.value = header.value.replacing("\r\n", with: "\n").split(
                separator: "\n", omittingEmptySubsequences: false
            ).map { line in
                let end = line.firstIndex(of: ";") ?? line.endIndex
                return redacted(cookie: line[..<end], by: rules) + line[end...]
            }.joined(separator: "\n")
        case ":path": header.value = redacted(url: header.value, by: rules)
        case let name:
            let isSecret = HTTPField.Name(header.name).map(rules.isSecret(field:)) ?? rules.isSecret(header.name)
            var withheld: [ArraySlice<UInt8>] = []
            if !isSecret, let shown = rules.reference(header.value, of: name, withheld: &withheld) {
                header.value = shown
                for value in withheld { learn(written: value, by: rules) }
                break
            }
            guard isSecret else { break }
            learn(header.value.utf8, by: rules)
            learn(credentials: header.value, by: rules)
            header.value = Redaction.placeholder
        }
        return header
    }

    /// The name of a cookie stays, so that a client that gets it has the same cookies.
    private mutating func redacted(cookie: Substring, by rules: Redaction) -> String {
        guard let equals = cookie.firstIndex(of: "=") else {
            learn(cookie.utf8, by: rules)
            return Redaction.placeholder
        }
        var value = cookie[cookie.index(after: equals)...]
        if value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
        learn(written: Array(value.utf8)[...], by: rules)
        return cookie[...equals] + Redaction.placeholder
    }

    /// Credentials after the name of their scheme. Those of Basic hold the password in base64.
    private mutating func learn(credentials: String, by rules: Redaction) {
        guard let space = credentials.firstIndex(of: " ") else { return }
        let value = credentials[credentials.index(after: space)...].drop { $0 == " " }
        learn(value.utf8, by: rules)
        guard credentials[..<space].lowercased() == "basic", let pair = Data(base64Encoded: String(value)) else {
            return
        }
        learn(pair, by: rules)
        guard let colon = pair.firstIndex(of: UInt8(ascii: ":")) else { return }
        // A user without a password is a token.
        let password = pair[(colon + 1)...]
        learn(password.isEmpty ? pair[..<colon] : password, by: rules)
    }

    private mutating func redacted(
        _ bytes: [UInt8], type: String, isCoded: Bool, by rules: Redaction
    ) -> [UInt8] {
        // Nothing can be found in a coded body.
        if isCoded { return Array(Redaction.placeholder.utf8) }
        var body = BodyRedaction(rules, keepsNumbers: true)
        let shown = body.redacted(bytes[...], type: Self.type(of: bytes, type), isCoded: false)
        for value in body.withheld { learn(written: value, by: rules) }
        return shown
    }

    /// The type by which a body is redacted. Many programs send a form or JSON with another type, or without any.
    private static func type(of bytes: [UInt8], _ type: String) -> String {
        if hasMembers(bytes, type) { return "application/json" }
        return looksLikeForm(bytes) && !type.lowercased().hasPrefix("multipart/")
            ? "application/x-www-form-urlencoded" : type
    }

    /// Whether a body is text with a pair of a name and a value, as in a form. Markup is none, and neither are the bytes of
    /// a picture, in which any pair of bytes stands somewhere.
    private static func looksLikeForm(_ bytes: [UInt8]) -> Bool {
        let isName: (UInt8) -> Bool = { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~%+*[]".utf8.contains(byte)
        }
        let content = bytes.drop { $0 <= 0x20 }
        let isText =
            String(validating: bytes, as: UTF8.self) != nil
            && !bytes.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) }
        guard isText, content.first != UInt8(ascii: "<") else { return false }
        return content.split(separator: UInt8(ascii: "&")).contains { piece in
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { return false }
            return equals > piece.startIndex && piece[..<equals].allSatisfy(isName)
        }
    }

    private static func string(json: ArraySlice<UInt8>) -> String? {
        try? JSONDecoder().decode([String].self, from: Data("[".utf8) + json + Data("]".utf8)).first
    }

    /// Whether the names of a body stand in quotes, as in JSON. A body may claim another type.
    private static func hasMembers(_ bytes: [UInt8], _ type: String) -> Bool {
        let type = type.lowercased()
        if type.hasPrefix("multipart/") || type.hasPrefix("application/x-www-form-urlencoded") { return false }
        if type.contains("event-stream") || type.contains("javascript") { return true }
        guard let first = bytes.first(where: { $0 > 0x20 }) else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
