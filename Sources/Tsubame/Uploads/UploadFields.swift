// UploadFields: the fields of resumable uploads (draft-ietf-httpbis-resumable-upload).

import HTTPTypes
import TsubameCore
import TsubameWire

/// Reads the fields by which a server describes an upload. A field of another type counts as absent, as section
/// "State" of the draft says.
enum UploadFields {
    /// The version of the draft. Remove the field when there is an RFC.
    static let interopVersion: Int64 = 8
    /// The media type of the content of a PATCH request.
    static let mediaType = "application/partial-upload"
    /// The status 104, Upload Resumption Supported.
    static let status = 104

    /// The canonical names of the fields that describe the content of a request.
    static let ofContent = Set(
        [HTTPField.Name.uploadComplete, .uploadLength, .uploadOffset, .uploadDraftInteropVersion].map(\.canonicalName))

    /// Whether the server uses the same version of the draft.
    static func isUnderstood(_ fields: ReceivedFields) -> Bool {
        fields[.uploadDraftInteropVersion].flatMap(StructuredField.integer) == interopVersion
    }

    /// The number of bytes that the server has processed.
    static func offset(_ fields: ReceivedFields) -> Int64? { count(fields[.uploadOffset]) }

    /// The number of bytes of the whole upload.
    static func length(_ fields: ReceivedFields) -> Int64? { count(fields[.uploadLength]) }

    /// Whether the server has all bytes, and knows that these are all.
    static func isComplete(_ fields: ReceivedFields) -> Bool {
        fields[.uploadComplete].flatMap(StructuredField.boolean) ?? false
    }

    /// Whether the server says that more bytes are to come.
    static func isIncomplete(_ fields: ReceivedFields) -> Bool {
        fields[.uploadComplete].flatMap(StructuredField.boolean) == false
    }

    private static func count(_ field: String?) -> Int64? {
        guard let value = field.flatMap(StructuredField.integer), value >= 0 else { return nil }
        return value
    }
}
