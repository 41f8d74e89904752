// RequestBody+Values: bodies made from text, JSON, forms, data and files.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension RequestBody {
    /// A text in UTF-8.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
        .bytes(Bytes(text), contentType: contentType)
    }

    /// A value as JSON. The client that sends the body encodes the value, as its ``Configuration/json`` says. If
    /// that fails, sending throws ``CallError/Kind/invalidRequest``.
    public static func json(
        _ value: some Encodable & Sendable, contentType: String = "application/json"
    ) -> RequestBody {
        let make: @Sendable ((any ValueRules)?) -> RequestBody = { rules in
            .json(value, by: rules.json, contentType: contentType)
        }
        return RequestBody(.deferred(make: make, isOneShot: false), contentType: contentType, length: nil)
    }

    /// A value as JSON, encoded now as `coding` says. If that fails, sending throws
    /// ``CallError/Kind/invalidRequest``.
    public static func json(
        _ value: some Encodable, by coding: JSONCoding, contentType: String = "application/json"
    ) -> RequestBody {
        .json(value, encoder: coding.encoder(), contentType: contentType)
    }

    /// A value as JSON, encoded now by `encoder`. If that fails, sending throws ``CallError/Kind/invalidRequest``.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder, contentType: String = "application/json"
    ) -> RequestBody {
        do {
            return .bytes(try Bytes(encoder.encode(value)), contentType: contentType)
        } catch {
            return .failed(
                CallError(.invalidRequest, "the body cannot be encoded as JSON: \(error)", underlying: error))
        }
    }

    /// Parameters as `application/x-www-form-urlencoded`, in their order, with a space as `%20`.
    public static func form(_ parameters: Parameters) -> RequestBody {
        if let failure = parameters.failure {
            return .failed(
                CallError(.invalidRequest, "the form cannot be encoded: \(failure)", underlying: failure))
        }
        return .bytes(Bytes(parameters.encoded()), contentType: "application/x-www-form-urlencoded")
    }

    /// The bytes of a Foundation `Data`.
    public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
        .bytes(Bytes(data), contentType: contentType)
    }

    /// The file at a file URL.
    public static func file(_ url: URL, contentType: String? = nil) -> RequestBody {
        .file(url.fileText, contentType: contentType)
    }
}
