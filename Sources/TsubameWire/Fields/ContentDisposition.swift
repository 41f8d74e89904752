// ContentDisposition: how a server wants a body to be saved, and under which name (RFC 6266).

import TsubameCore

package struct ContentDisposition: Sendable, Hashable {
    /// `inline`, `attachment` or another token, in lower case.
    package let type: String
    /// The server's name for the file: `filename*` (RFC 8187) takes precedence over `filename`. It can be any text,
    /// such as `../../x`.
    package let filename: String?

    /// nil unless the field begins with a token. Malformed parameters are left out.
    package init?(_ field: String) {
        let end = field.firstIndex(of: ";") ?? field.endIndex
        let type = field[..<end].trimmingASCIISpace.lowercased()
        guard !type.isEmpty else { return nil }
        self.type = type
        // The parameters have the same syntax as those of a media type.
        let parameters = MediaType("x/x" + field[end...])?.parameters ?? []
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        filename = value("filename*").flatMap(Self.extended) ?? value("filename").map(Self.plain)
    }

    /// A value such as `UTF-8'en'%e2%82%ac`; nil if it is malformed or its charset is unknown.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let charset = Charset(label: parts[0]),
            let bytes = PercentEncoding.decodeBytes(parts[2])
        else { return nil }
        var decoder = StreamingDecoder(charset)
        return decoder.decode(bytes) + decoder.finish()
    }

    /// Many servers percent-encode the plain name, and browsers decode it. A valid encoding of UTF-8 is therefore
    /// decoded.
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
