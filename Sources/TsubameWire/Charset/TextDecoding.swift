// TextDecoding: determines the encoding of a received text, and decodes the text.

extension Charset {
    /// The encoding that a byte order mark at the beginning announces, and the mark's length in bytes; nil if there is
    /// none.
    ///
    /// UTF-32 is recognised only by its mark. WHATWG has no UTF-32, and would read FF FE 00 00 as UTF-16 that begins
    /// with U+0000. No text begins like that.
    package static func sniffBOM(_ bytes: some Collection<UInt8>) -> (charset: Charset, length: Int)? {
        let start = Array(bytes.prefix(longestMark))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if start == [0x00, 0x00, 0xFE, 0xFF] { return (.utf32BigEndian, 4) }
        if start == [0xFF, 0xFE, 0x00, 0x00] { return (.utf32LittleEndian, 4) }
        if start.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        if start.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        return nil
    }

    /// The length of the longest byte order mark, in bytes.
    package static let longestMark = 4

    /// The encoding of a received text, and the length of its byte order mark in bytes.
    ///
    /// The first of these counts: `forced`, the byte order mark, `Content-Type`, the document itself if it is HTML
    /// (`<meta charset>`), the fallback, UTF-8. As in browsers, the mark comes before the field, because it is right
    /// more often.
    package static func determine(
        for bytes: some Collection<UInt8>, contentType: String?, forced: Charset? = nil, fallback: Charset? = nil
    ) -> (charset: Charset, markLength: Int) {
        let mark = sniffBOM(bytes)
        if let forced { return (forced, mark?.charset == forced ? mark?.length ?? 0 : 0) }
        if let mark { return (mark.charset, mark.length) }
        let type = contentType.flatMap { MediaType($0) }
        if let charset = type?.charset { return (charset, 0) }
        let isHTML = type?.essence == "text/html" || type?.essence == "application/xhtml+xml"
        return ((isHTML ? HTMLCharset.find(in: bytes) : nil) ?? fallback ?? .utf8, 0)
    }
}

/// Decodes a received body without its byte order mark, and with U+FFFD for each wrong sequence. The encoding is that of
/// ``Charset/determine(for:contentType:forced:fallback:)``.
package func decodeText(
    _ bytes: some Collection<UInt8>, contentType: String?, forced: Charset? = nil, fallback: Charset? = nil
) -> String {
    let (charset, markLength) = Charset.determine(
        for: bytes, contentType: contentType, forced: forced, fallback: fallback)
    return charset.decode(bytes.dropFirst(markLength)).text
}

/// Decodes a received body like ``decodeText(_:contentType:forced:fallback:)``, but throws if a sequence is wrong.
/// - Throws: ``MalformedTextError`` with the encoding and the offset of the first wrong sequence.
package func decodeTextStrictly(
    _ bytes: some Collection<UInt8>, contentType: String?, forced: Charset? = nil, fallback: Charset? = nil
) throws(MalformedTextError) -> String {
    let (charset, markLength) = Charset.determine(
        for: bytes, contentType: contentType, forced: forced, fallback: fallback)
    let decoded = charset.decode(bytes.dropFirst(markLength))
    if let offset = decoded.malformedOffset {
        throw MalformedTextError(charset: charset, offset: markLength + offset)
    }
    return decoded.text
}
