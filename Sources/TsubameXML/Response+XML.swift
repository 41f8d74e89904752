// XML bodies, in and out, on XMLCoder.

#if XML
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Tsubame
public import TsubameCore
public import XMLCoder

extension Response {
    /// The body as a `Decodable` type from XML. Decoding runs where this is called. An empty 204, 205 or HEAD response
    /// decodes to nil or an empty value.
    /// - Throws: ``/Tsubame/CallError`` of kind `status`, `decoding` with the decoder's error as `underlying`, or `misuse`
    ///   if the body is still being streamed.
    public func xml<T: Decodable>(_ type: T.Type = T.self, decoder: XMLDecoder = .keepingSpaces) throws(CallError) -> T
    {
        try accepted()
        return try decodeBody(as: type, in: "XML") { try decoder.decode(type, from: $0) }
    }
}

extension XMLDecoder {
    /// A decoder that keeps the spaces of a text: XMLCoder's default trims each piece of one, and an entity such as
    /// `&amp;` ends a piece. A number or a truth value with white space around it is refused.
    public static var keepingSpaces: XMLDecoder {
        let decoder = XMLDecoder()
        decoder.trimValueWhitespaces = false
        return decoder
    }
}

extension Body {
    /// A value as XML with the given root element. One that cannot be encoded is thrown when it is sent.
    public static func xml(
        _ value: some Encodable, root: String, encoder: XMLEncoder = XMLEncoder(),
        contentType: String = "application/xml"
    ) -> Body {
        do {
            return .bytes(Bytes(try encoder.encode(value, withRootKey: root)), contentType: contentType)
        } catch {
            return .failed(CallError(.invalidRequest, "the body cannot be encoded as XML: \(error)", underlying: error))
        }
    }
}
#endif
