// Response+XML: XML bodies of requests and responses, coded by XMLCoder.

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
    /// Decodes the XML body as a `Decodable` type, in the caller's execution context. An empty 204, 205 or HEAD
    /// response decodes to nil or an empty value.
    /// - Throws: ``/Tsubame/CallError`` of kind `status`, of kind `decoding` with the decoder's error as
    ///   `underlying`, or of kind `misuse` if the body is still being streamed.
    public func xml<T: Decodable>(_ type: T.Type = T.self, decoder: XMLDecoder = .keepingSpaces) throws(CallError) -> T
    {
        try accepted()
        return try decodeBody(as: type, in: "XML") { try decoder.decode(type, from: $0) }
    }
}

extension XMLDecoder {
    /// A decoder that keeps the white space of a text. XMLCoder's default trims each piece of a text, and an entity
    /// such as `&amp;` ends a piece. This decoder refuses a number or Boolean with white space around it.
    public static var keepingSpaces: XMLDecoder {
        let decoder = XMLDecoder()
        decoder.trimValueWhitespaces = false
        return decoder
    }
}

extension RequestBody {
    /// A value as XML with the given root element. If the value cannot be encoded, sending the body throws the error.
    public static func xml(
        _ value: some Encodable, root: String, encoder: XMLEncoder = XMLEncoder(),
        contentType: String = "application/xml"
    ) -> RequestBody {
        do {
            return .bytes(Bytes(try encoder.encode(value, withRootKey: root)), contentType: contentType)
        } catch {
            return .failed(CallError(.invalidRequest, "the body cannot be encoded as XML: \(error)", underlying: error))
        }
    }
}
#endif
