// MultipartForm: reads `multipart/form-data` (RFC 7578) from a complete body.
#if Server

struct MultipartForm {
    struct Part {
        /// Nil if the part gives no name; such a part appears in no form.
        var name: String?
        var isFile: Bool
        var mediaType: String?
        var content: ArraySlice<UInt8>
    }

    private static let partLimit = 1000
    /// RFC 2046 section 5.1.1.
    private static let boundaryLimit = 70

    /// The parts in order. Nil if the body is not well-formed: an opening or closing delimiter is missing, or a part
    /// has no Content-Disposition (section 4.2).
    static func parts(of body: [UInt8], boundary: String) -> [Part]? {
        guard !boundary.isEmpty, boundary.utf8.count <= boundaryLimit else { return nil }
        let dashes = Array("--\(boundary)".utf8)
        guard var delimiter = nextDelimiter(dashes, in: body, from: 0, mayOpen: true) else { return nil }
        var parts: [Part] = []
        while !delimiter.closes {
            guard let next = nextDelimiter(dashes, in: body, from: delimiter.end, mayOpen: false),
                let part = part(body[delimiter.end..<next.start]), parts.count < partLimit
            else { return nil }
            parts.append(part)
            delimiter = next
        }
        return parts
    }

    private struct Delimiter {
        /// The start of the line break before the delimiter; the content before it ends here.
        var start: Int
        /// The position after the delimiter's line break.
        var end: Int
        var closes: Bool
    }

    /// The next line that is a delimiter. Only the first delimiter may stand at the very start of the body.
    private static func nextDelimiter(_ dashes: [UInt8], in body: [UInt8], from: Int, mayOpen: Bool) -> Delimiter? {
        var position = from
        while let found = index(of: dashes, in: body, from: position) {
            position = found + 1
            var start = found
            if found > from, body[found - 1] == 0x0A {
                start -= found - 1 > from && body[found - 2] == 0x0D ? 2 : 1
            } else if !mayOpen || found != 0 {
                continue
            }
            var end = found + dashes.count
            let closes = body[end...].starts(with: "--".utf8)
            if closes { end += 2 }
            while end < body.count, body[end] == 0x20 || body[end] == 0x09 { end += 1 }
            if end < body.count, body[end] == 0x0D { end += 1 }
            if end < body.count, body[end] == 0x0A {
                end += 1
            } else if !closes {
                continue
            }
            return Delimiter(start: start, end: end, closes: closes)
        }
        return nil
    }

    private static func index(of wanted: [UInt8], in body: [UInt8], from: Int) -> Int? {
        guard let first = wanted.first, body.count >= wanted.count else { return nil }
        var position = from
        while position <= body.count - wanted.count,
            let candidate = body[position...].firstIndex(of: first), candidate <= body.count - wanted.count
        {
            if body[candidate...].starts(with: wanted) { return candidate }
            position = candidate + 1
        }
        return nil
    }

    private static func part(_ bytes: ArraySlice<UInt8>) -> Part? {
        var disposition: HeaderParameters?
        var mediaType: String?
        var rest = bytes
        while true {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            var line = rest[rest.startIndex..<end]
            if line.last == 0x0D { line = line.dropLast() }
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmed
            switch String(decoding: line[..<colon], as: UTF8.self).trimmed.lowercased() {
            case "content-disposition": disposition = HeaderParameters(value)
            case "content-type": mediaType = value
            default: break
            }
        }
        guard let disposition else { return nil }
        return Part(
            name: disposition["name"], isFile: disposition["filename"] != nil, mediaType: mediaType, content: rest)
    }
}

#endif
