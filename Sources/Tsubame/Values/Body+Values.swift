// Bodies from values: text, JSON, forms.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension Body {
    /// Text in UTF-8.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> Body {
        .bytes(Bytes(text), contentType: contentType)
    }

    /// A value as JSON, encoded by the client that sends it, as its ``Configuration/json`` says. One that cannot be
    /// encoded is thrown as ``CallError/Kind/invalidRequest`` when it is sent.
    public static func json(
        _ value: some Encodable & Sendable, contentType: String = "application/json"
    ) -> Body {
        let make: @Sendable ((any Sendable)?) -> Body = { coding in
            .json(value, by: coding as? JSONCoding ?? .standard, contentType: contentType)
        }
        return Body(.deferred(make: make, isOneShot: false), contentType: contentType, length: nil)
    }

    /// A value as JSON, encoded here and now as `coding` says. One that cannot be encoded is thrown as
    /// ``CallError/Kind/invalidRequest`` when it is sent.
    public static func json(
        _ value: some Encodable, by coding: JSONCoding, contentType: String = "application/json"
    ) -> Body {
        .json(value, encoder: coding.encoder(), contentType: contentType)
    }

    /// A value as JSON, encoded here and now by `encoder`. One that cannot be encoded is thrown as
    /// ``CallError/Kind/invalidRequest`` when it is sent.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder, contentType: String = "application/json"
    ) -> Body {
        do {
            return .bytes(try Bytes(encoder.encode(value)), contentType: contentType)
        } catch {
            return .failed(
                CallError(.invalidRequest, "the body cannot be encoded as JSON: \(error)", underlying: error))
        }
    }

    /// `application/x-www-form-urlencoded`, in the order of the parameters, a space as `%20`.
    public static func form(_ parameters: Parameters) -> Body {
        if let failure = parameters.failure {
            return .failed(
                CallError(.invalidRequest, "the form cannot be encoded: \(failure)", underlying: failure))
        }
        return .bytes(Bytes(parameters.encoded()), contentType: "application/x-www-form-urlencoded")
    }

    /// Foundation's data.
    public static func data(_ data: Data, contentType: String? = nil) -> Body {
        .bytes(Bytes(data), contentType: contentType)
    }

    /// The file at a file URL.
    public static func file(_ url: URL, contentType: String? = nil) -> Body {
        .file(path: url.path, contentType: contentType)
    }
}
