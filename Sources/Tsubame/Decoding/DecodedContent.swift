// DecodedContent: the content of a whole body without its content codings.

package import TsubameCore
import TsubameWire

package enum DecodedContent {
    /// Whether this library knows all codings that a Content-Encoding names.
    package static func isKnown(_ codings: String) -> Bool { decoders(codings) != nil }

    private static func decoders(_ codings: String) -> [ReceivedCoding]? {
        let names = ContentDecoding.names(in: codings)
        guard DecodingLimits.problem(ofCodings: names.count, allowed: Limits().contentCodings) == nil else {
            return nil
        }
        let codings = names.compactMap { ReceivedCoding(named: $0) }
        return codings.count == names.count ? codings : nil
    }

    /// Decodes a body.
    /// - Parameters:
    ///   - codings: the Content-Encoding of the body.
    ///   - limit: the most bytes that the content may have.
    ///   - isIncomplete: whether the body ends early. Its content then ends with the last byte that can be decoded.
    /// - Returns: nil if a coding is unknown.
    /// - Throws: ``CallError/Kind/contentCoding`` if the body is damaged or cut off, and
    ///   ``CallError/Kind/limitExceeded`` if the content is too long.
    package static func decode(
        _ bytes: Bytes, codings: String, upTo limit: Int, isIncomplete: Bool = false
    ) async throws(CallError) -> Bytes? {
        guard let decoders = decoders(codings) else { return nil }
        if bytes.isEmpty { return bytes }
        var body = ResponseBody(bytes)
        for coding in decoders.reversed() { body.transform(by: DecodingTransform(coding), for: nil) }
        guard isIncomplete else { return try await body.collect(upTo: limit) }
        var content = GatheredBytes()
        do throws(CallError) {
            for try await piece in body {
                content.append(piece)
                if content.count > limit { break }
            }
        } catch {
            if content.count == 0 { throw error }
        }
        return content.joined()
    }
}
