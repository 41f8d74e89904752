// ContentDisposition: how a server wants a body to be kept, and by which name (RFC 6266).

package struct ContentDisposition: Sendable, Hashable {
    /// `inline`, `attachment` or another word, in lower case.
    package let type: String
    /// What the server calls the file: `filename*` (RFC 8187) before `filename`. It may be anything, such as `../../x`.
    package let filename: String?

    /// nil unless the field begins with a token. Parameters that make no sense are left out.
    package init?(_ field: String) {
        let end = field.firstIndex(of: ";") ?? field.endIndex
        let type = field[..<end].trimmingASCIISpace.lowercased()
        guard !type.isEmpty else { return nil }
        self.type = type
        // Its parameters are written as those of a media type are.
        let parameters = MediaType("x/x" + field[end...])?.parameters ?? []
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        filename = value("filename*").flatMap(Self.extended) ?? value("filename").map(Self.plain)
    }

    /// `UTF-8'en'%e2%82%ac`; nil if it is not of that form, or of a charset that is not known.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let charset = Charset(label: parts[0]),
            let bytes = PercentEncoding.decodeBytes(parts[2])
        else { return nil }
        var decoder = StreamingDecoder(charset)
        return decoder.decode(bytes) + decoder.finish()
    }

    /// Many servers escape what browsers unescape, too: a name that is valid UTF-8 in percent signs is taken for that.
    private static func plain(_ value: String) -> String {
        guard value.contains("%"), let decoded = PercentEncoding.decode(value) else { return value }
        return decoded
    }
}

extension Substring {
    fileprivate var trimmingASCIISpace: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        let count = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return start.dropLast(count)
    }
}
